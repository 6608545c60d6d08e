# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# K-KNB: the control files as an engineer's scripts use them: names, modes,
# formats, what may be written.
case $control in */kprobes) own=kprobes ;; *) own=kp ;; esac
knob=/proc/sys/debug/$own-optimization
expect "K-KNB-50 no knob without the engine" test ! -e $knob
engine_start

# mode FILE MODE
mode() { [ "$(stat -c %a "$1")" = "$2" ] || { ls -l "$1"; return 1; }; }
expect "K-KNB-01 list is for its owner to read" mode $control/list 400
expect "K-KNB-20 enabled is for its owner to read and write" mode $control/enabled 600
expect "K-KNB-40 blacklist is for its owner to read" mode $control/blacklist 400
expect "K-KNB-50 the optimization knob is for all to read" mode $knob 644
expect "K-KNB-53 it is there under the other name, too" mode /proc/sys/debug/${own}_optimization 644

# ---- the optimization knob
# put FILE WORDS [BYTES]: all in one write, or in writes of BYTES
put() { printf "$2" | dd of=$1 bs=${3:-4096} iflag=fullblock conv=notrunc 2>/tmp/said; }
# refused WORDS, taken WORDS RESULT: what writing and then reading gives
refused() {
	was=$(cat $knob)
	if put $knob "$1"; then false; else grep -qi invalid /tmp/said && [ "$(cat $knob)" = "$was" ]; fi || cat /tmp/said
}
taken() { put $knob "$1" && [ "$(cat $knob)" = "$2" ]; }
expect "K-KNB-51 it is on at first" test "$(cat $knob)" = 1
expect "K-KNB-51 it is a digit and a newline" test "$(od -c $knob | head -n 1)" = "0000000   1  \n"
expect "K-KNB-51 also when it is read a byte at a time" test "$(dd if=$knob bs=1 2>/dev/null | od -c | head -n 1)" = "0000000   1  \n"
for was in 1 0; do
	echo $was >$knob
	for word in 2 -1 10 x nn yes '\n' ' ' '1 2' '\0' '1\0' '\377' "$(printf '%04000d' 1)" "$(printf '1%04000d' 0)"; do
		expect "K-KNB-52 '$(echo "$word" | cut -c 1-8)' is refused" refused "$word"
	done
done
for word in 0 n N '0\n' ' 0 \n'; do
	expect "K-KNB-53 on" taken 1 1
	expect "K-KNB-52 K-KNB-53 '$word' switches off" taken "$word" 0
done
for word in 1 y Y '1\n' '\t1'; do
	expect "K-KNB-53 off" taken 0 0
	expect "K-KNB-52 K-KNB-53 '$word' switches on" taken "$word" 1
done
expect "K-KNB-52 what is written behind the value is not read" put $knob '0\n1\n' 1
expect "K-KNB-52 but the value is" test "$(cat $knob)" = 0
echo 0 >/proc/sys/debug/${own}_optimization
expect "K-KNB-53 both names are one knob" test "$(cat $knob)" = 0
expect "K-KNB-53 as the documentation says it" sysctl -w debug.${own}_optimization=y
expect "K-KNB-53 and with a hyphen" sysctl -w debug.$own-optimization=1
expect "K-KNB-51 it is on" test "$(cat $knob)" = 1
# said WORDS: how often the engine did
said() { dmesg | grep -c "kprobes: $1"; }
enabled_before=$(said 'kprobe jump-optimization is enabled. All kprobes are optimized if possible.$')
disabled_before=$(said 'kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.$')
for word in 1 0 0 1 1; do echo $word >$knob; done
expect "K-KNB-56 each change is said once, on" test $(said 'kprobe jump-optimization is enabled. All kprobes are optimized if possible.$') = $((enabled_before + 1))
expect "K-KNB-56 and off" test $(said 'kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.$') = $((disabled_before + 1))

# ---- the list
# shows REGEX FILE
shows() { grep -qE "$1" "$2" || { cat "$2"; false; }; }
insmod kp_rules.ko only_modules=1 list=1 || echo "not ok insmod kp_rules.ko"
echo 0 >/proc/sys/kernel/kptr_restrict
tags='(\[GONE\])?(\[DISABLED\])?(\[OPTIMIZED\])?(\[FTRACE\])?'
expect "K-KNB-01 K-KNB-02 K-KNB-03 K-KNB-07 every line is one of a probe" sh -c \
	"! grep -vE '^[0-9a-f]{$digits}  [krj]  [^ ]+\+0x[0-9a-f]+  ([^ ]+| ) $tags\$' $control/list"
expect "K-KNB-01 as many lines as probes" test $(wc -l <$control/list) = 6
# MIPS has no jumps.
case $(uname -m) in mips*) ;; *) expect "K-KNB-55 a tag shows what is or will be a jump" shows ' list_target\+0x0  kp_rules \[OPTIMIZED\]$' $control/list ;; esac
echo 0 >$knob
expect "K-KNB-54 none when the knob is off" test $(grep -c OPTIMIZED $control/list) = 0
expect "K-KNB-02 a probe of the kernel ends in four blanks" shows "^[0-9a-f]{$digits}  k  $(cat sample_symbol)\\+0x[04]    \$" $control/list
expect "K-KNB-02 one of a module says so" shows "^[0-9a-f]{$digits}  k  list_target\\+0x0  kp_rules " $control/list
for letter in k r j; do expect "K-KNB-04 $letter" test $(awk -v l=$letter '$2 == l' $control/list | wc -l) -ge 1; done
expect "K-KNB-08 a disabled one" test $(grep -c '\[DISABLED\]' $control/list) = 1
expect "K-KNB-10 newest first at one address" test "$(awk '$3 == "list_target+0x0" { printf "%s", $2 }' $control/list)" = krkj
expect "K-KNB-05 the symbol is that of the address" sh -c \
	"while read -r address letter place rest; do
		grep -q \"^\$address [tTwW] \${place%+*}\" /proc/kallsyms || [ \${place#*+} != 0x0 ] || exit 1
	done <$control/list"
cp $control/list /tmp/before
echo 0 >$control/enabled
expect "K-KNB-11 K-KNB-57 off adds no tag" sh -c "sed 's/\[OPTIMIZED\]//' /tmp/before >/tmp/a; sed 's/\[OPTIMIZED\]//' $control/list | cmp - /tmp/a"
off_before=$(said 'Kprobes globally disabled$') on_before=$(said 'Kprobes globally enabled$')
echo 0 >$control/enabled
expect "K-KNB-25 off again says nothing" test $(said 'Kprobes globally disabled$') = $off_before
echo 1 >$control/enabled
echo 1 >$control/enabled
expect "K-KNB-25 K-KNB-26 on says so once" test $(said 'Kprobes globally enabled$') = $((on_before + 1))
# The letters of the file format are what scripts cut columns by.
expect "K-KNB-02 awk finds columns" sh -c "awk '\$3 !~ /\+0x/ { exit 1 }' $control/list"
expect "K-KNB-03 addresses are for those who may see them" sh -c \
	"echo 2 >/proc/sys/kernel/kptr_restrict; ! grep -vE '^0{$digits}  ' $control/list"
expect "K-KNB-40 in the blacklist, too" sh -c \
	"! grep -vE '^0x0{$digits}-0x0{$digits}	' $control/blacklist"
echo 0 >/proc/sys/kernel/kptr_restrict
rmmod kp_rules

echo 1 >$knob

# ---- the blacklist
expect "K-KNB-40 every line is two addresses, a tab and a symbol" sh -c \
	"! grep -vE '^0x[0-9a-f]{$digits}-0x[0-9a-f]{$digits}	[^ ]+\$' $control/blacklist"
ordered() { awk '{ split($1, a, "-"); if (a[1] "" >= a[2] "") { print; bad = 1 } } END { exit bad }' $control/blacklist; }
expect "K-KNB-40 the end is exclusive" ordered
cp $control/blacklist /tmp/before
insmod kp_victim.ko
added=$(($(wc -l <$control/blacklist) - $(wc -l </tmp/before)))
expect "K-KNB-41 what is new comes last" sh -c \
	"[ $added -gt 0 ] && head -n -$added $control/blacklist | cmp - /tmp/before && tail -n $added $control/blacklist | grep -q 'victim_marked\$'"
rmmod kp_victim
expect "K-BLK-06 and goes with its module" cmp $control/blacklist /tmp/before
engine_stop
expect "K-KNB-50 the knob goes with the engine" test ! -e $knob
