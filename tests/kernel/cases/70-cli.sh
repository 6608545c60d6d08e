# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kprobes command with the kernel as its target, as a user would type it.
symbol=$(cat sample_symbol)
release=$(uname -r | sed 's/[.+]/\\&/g')		# as a pattern
export KPROBES_KO=/test/kprobes.ko

expect "without the module enabled says what to do" status 3 kprobes enabled
expect "... in words" says "kprobes load PROBE.ko"
expect "without the module list has nothing to list" status 0 kprobes list
expect "... and says so" says "nothing is probed"
expect "load brings the engine and the probe" \
	status 0 kprobes load own_kprobe.ko symbol=$symbol offset=0
expect "... both are there" sh -c "lsmod | grep -q '^kprobes ' && lsmod | grep -q '^own_kprobe '"
expect "list shows the probe" status 0 kprobes list
expect "... under its name" says "  k  $symbol\+0x"
place=$(awk '{ print $3; exit }' /tmp/said)
expect "disable" status 0 kprobes disable $place
kprobes list >/tmp/said
expect "... is seen in the list" says "\[DISABLED\]"
before=$(dmesg | grep -c "own_kprobe:.*before")
cat /proc/stat >/dev/null
expect "... and no handler runs" test "$(dmesg | grep -c 'own_kprobe:.*before')" = "$before"
expect "enable by the symbol alone" status 0 kprobes enable $symbol
kprobes list >/tmp/said
expect "... the mark is gone" sh -c "! grep -q DISABLED /tmp/said"
cat /proc/stat >/dev/null
expect "... and the handler runs" test "$(dmesg | grep -c 'own_kprobe:.*before')" -gt "$before"
address=$(awk '{ print "0x" $1; exit }' /tmp/said)
expect "disable by address" status 0 kprobes disable $address
expect "enable by address" status 0 kprobes enable $address
expect "a place without a probe" status 3 kprobes disable no_such_symbol+0x3
expect "a place that is none" status 2 kprobes disable "a b"
expect "enabled is 1" sh -c 'test "$(kprobes enabled)" = 1'
expect "enabled 0" status 0 kprobes enabled 0
expect "... is 0" sh -c 'test "$(kprobes enabled)" = 0'
expect "enabled 1" status 0 kprobes enabled 1
expect "enabled 2 is refused" status 2 kprobes enabled 2
expect "K-KNB-51 optimization is 1" sh -c 'test "$(kprobes optimization)" = 1'
expect "K-KNB-53 optimization n" status 0 kprobes optimization n
expect "... is 0" sh -c 'test "$(kprobes optimization)" = 0'
expect "K-KNB-54 ... no line says OPTIMIZED" sh -c "! kprobes list | grep OPTIMIZED"
expect "K-KNB-52 optimization 2 is refused" status 2 kprobes optimization 2
expect "optimization 1" status 0 kprobes optimization 1
expect "the blacklist has entries" sh -c 'test $(kprobes blacklist | wc -l) -gt 100'
expect "loading it again is refused" status 1 kprobes load own_kprobe.ko
expect "... with the way out" says "kprobes unload own_kprobe"
expect "what the module says is repeated" \
	status 3 kprobes load kprobe_example.ko symbol=no_such_symbol
expect "... from the kernel log" says "register_kprobe failed, returned -2"
expect "no module at all" status 5 kprobes load /bin/busybox
expect "... is said" says "not a kernel module"
expect "a file that is not there" status 3 kprobes load nothing.ko
sed "s/vermagic=[^ ]* /vermagic=4.4.4-other /" own_kretprobe.ko >/tmp/other.ko
expect "a module for another kernel" status 5 kprobes load /tmp/other.ko
expect "... names both" says "built for kernel 4.4.4-other, this is $release"
expect "... and what to do" says "KDIR=/lib/modules/$release/build"

expect "funcs finds a kernel function" status 0 kprobes funcs $symbol
expect "... by name" says "$symbol"
expect "funcs --json" sh -c "kprobes funcs --json '__put_user_*' | grep -q '\"name\": \"__put_user_4\"'"
expect "nothing of that name" status 3 kprobes funcs no_such_symbol

expect "the engine in use is not unloaded" status 1 kprobes unload kprobes
expect "unload by file name" status 0 kprobes unload own_kprobe.ko
expect "... the list is empty" sh -c 'test -z "$(kprobes list)"'
expect "unload -a" sh -c "kprobes load own_kretprobe.ko func=$symbol && kprobes unload -a"
expect "... leaves nothing" sh -c "! lsmod | grep -qE '^(kprobes|own_kretprobe) '"

# What can be probed, from the engine; text with a probe in it and without.
kprobes load own_kprobe.ko symbol=$symbol offset=0
expect "funcs judges a kernel function" status 0 kprobes funcs $symbol
expect "... it can be probed" says "^[0-9a-f]* .* (jump|breakpoint) .*$symbol"
expect "funcs of what cannot be probed" status 0 kprobes funcs notify_die
expect "... says why" says " no  .*notify_die  .*black"
kprobes list >/tmp/said
place=$(awk '{ print $3; exit }' /tmp/said)
expect "dis shows a probed kernel function" status 0 kprobes dis $symbol
grep -v "now: " /tmp/said >/tmp/probed
case $(kprobes list) in *FTRACE*) ;; *) expect "... and the bytes that stand there now" says "now: [ce][c9] " ;; esac
expect "dis --json" sh -c "kprobes dis $symbol --json | grep -q '\"now\": \"[ce][c9]'"
kprobes unload own_kprobe
kprobes dis $symbol >/tmp/said
expect "... none without a probe" sh -c "! grep -q 'now:' /tmp/said"
expect "... and before it showed the original instructions" cmp /tmp/said /tmp/probed
for text in "" x 0x "-1 2" 0xffffffffffffffffffff; do
	expect "check refuses '$text'" sh -c "! echo '$text' >$control/check"
done
expect "check takes an address" sh -c "echo 0x10 >$control/check"

# The rest of what a person may type, and may type wrongly.
kprobes load own_kprobe.ko symbol=$symbol offset=0
sleep 1
expect "list --json" status 0 kprobes list --json
expect "... the kernel's, by its symbol" says "\"type\": \"k\", \"symbol\": \"$symbol\", \"offset\": [04]"
expect "... with its marks" says "\"disabled\": false, \"optimized\": (true|false)"
expect "optimization is on" sh -c 'test "$(kprobes optimization)" = 1'
expect "optimization 0" status 0 kprobes optimization 0
expect "... is off" sh -c 'test "$(kprobes optimization)" = 0'
expect "... and no probe is a jump" sh -c '! kprobes list | grep -q OPTIMIZED'
expect "optimization 1" status 0 kprobes optimization 1
expect "optimization 2 is refused" status 2 kprobes optimization 2
expect "... says what it takes" says "neither 0 nor 1"
expect "what cannot be probed is refused" status 5 kprobes load kprobe_example.ko symbol=notify_die
expect "... says why, and where it can" says "refused: .*blacklist.*kprobes dis"
kprobes unload own_kprobe
expect "an offset inside an instruction" status 5 kprobes load own_kprobe.ko symbol=$symbol offset=1
expect "... says so" says "not at an instruction boundary"
kprobes load own_kprobe.ko symbol=$symbol offset=0
expect "a module of the kernel's for a process" status 2 kprobes load own_kprobe.ko -p 1
expect "... says so" says "is for the kernel"
expect "a value with a blank" status 3 kprobes load kprobe_example.ko "symbol=no such"
expect "... came as one" says "no such"
expect "a value with a quote and a blank" status 2 kprobes load kprobe_example.ko 'symbol=a "b'
expect "... is refused" says "cannot be passed"
expect "parameters that are too long" status 2 kprobes load kprobe_example.ko "symbol=$(printf '%5000d' 1)"
expect "unload what is not loaded" status 3 kprobes unload kretprobe_example.ko
expect "... says so" says "no module kretprobe_example is loaded"
expect "unload of nothing" status 2 kprobes unload
expect "a place that is too long" status 2 kprobes disable "$(printf '%2000d' 1)"
expect "... is said" says "too long"
expect "inlined copies need debugging information" status 1 kprobes funcs --inlined vfs_read
expect "... says where it is from" says "linux-image-.*-dbg.*vmlinux"
expect "dis behind a function's end" status 3 kprobes dis $symbol+0x5000
expect "no such pattern" status 3 kprobes funcs 'no_such*'
expect "funcs of one module" status 0 kprobes funcs 'own_kprobe:*'
expect "... is its" says "\[own_kprobe\]"
expect "blacklist" status 0 kprobes blacklist
expect "... has ranges" says "^0x[0-9a-f]*-0x[0-9a-f]*"

# Who is not root.
printf 'nobody:x:65534:65534::/:/bin/sh\n' >/etc/passwd
chmod 755 /tmp
nobody() { su -s /bin/sh nobody -c "$*"; }
for command in enabled blacklist "enable $symbol" "unload -a" "load own_kretprobe.ko"; do
	expect "$command: not root" status 4 nobody kprobes $command
	expect "... says who may" says "root"
done
expect "funcs: not root" status 4 nobody kprobes funcs vfs_read
expect "... says what hides" says "kptr_restrict"
expect "unload -a" status 0 kprobes unload -a
