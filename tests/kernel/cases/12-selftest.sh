# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The module tries its ways while it is loaded, and turns off what does not work.
case $control in */kprobes) knob=kprobes ;; *) knob=kp ;; esac
knob=/proc/sys/debug/$knob-optimization
# What the self-test has said since the last load; insmod tries twice what fails.
said() { dmesg | awk '/KP-LOAD/ { text = "" } sub(/.*kprobes: self-test: /, "") && !index(text, $0) { text = text $0 "\n" } END { printf "%s", text }'; }
load() { echo KP-LOAD >/dev/kmsg; insmod kprobes.ko "$@"; }
says_only() { said >/tmp/tested; [ "$(cat /tmp/tested)" = "$1" ] || { cat /tmp/tested; false; }; }

# took PARAMETER...: the milliseconds of a load.
took() {
	from=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	load "$@"
	till=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	echo $(((till - from) * 10))
}
echo "# a load takes $(took selftest=0) ms without the self-test$(on_one rmmod kprobes), $(took) with it"
expect "a machine on which all works: nothing is said" test -z "$(said)"
echo "# release $(uname -r)"
# What the kernel returns by follows from these.
(cd /sys/devices/system/cpu/vulnerabilities 2>/dev/null && grep . retbleed spec_rstack_overflow indirect_target_selection 2>/dev/null) | sed 's/^/# /'
off=$(dmesg | sed -n 's/.*kprobes: \(breakpoints take the long way\).*/\1/p; s/.*kprobes: self-test: //p' | sort -u | tr '\n' ';')
[ -d /sys/kernel/debug/tracing ] || off="${off:+$off }no ftrace"
echo "# off: ${off:-nothing}"
on_one rmmod kprobes

if [ $(uname -m) = x86_64 ]; then
	insmod kp_thief.ko swallow=1
	load
	expect "breakpoints that do not arrive: it is said" \
		says_only "breakpoints do not work here, the module is not loaded: no hit arrives"
	expect "the module does not load" test ! -e /sys/module/kprobes
	load selftest=0
	expect "it loads without the self-test" test -e /sys/module/kprobes
	expect "which says nothing then" test -z "$(said)"
	on_one rmmod kprobes
	rmmod kp_thief
fi

# spoilt FUNCTION WORDS [WHY]: loaded with that one spoilt; by $how.
how=
spoilt() {
	insmod kp_thief.ko spoil=$1
	$how load
	expect "$1 is spoilt: it is said" says_only "$2: ${3:-the probed function goes wrong}"
	rmmod kp_thief
}
# What does not load goes at once.
how=on_one
spoilt kp_trial_trap "breakpoints do not work here, the module is not loaded"
how=
expect "the module does not load" test ! -e /sys/module/kprobes

# riscv64, arm and MIPS have one way, and MIPS has no jumps.
if case $(uname -m) in riscv64 | arm* | mips*) false ;; esac; then
	spoilt kp_trial_short "breakpoints take the long way"
	insmod kp_conformance.ko optimize=0
	expect "the suite passes on the long way" sh -c 'dmesg | grep -q "KP-TEST done"'
	rmmod kp_conformance
	on_one rmmod kprobes
fi

if case $(uname -m) in mips*) false ;; esac; then
	spoilt kp_trial_jump "jumps are off"
	expect "the knob is off" test "$(cat $knob)" = 0
	on_one rmmod kprobes
fi

spoilt kp_trial_return "return probes are refused" "a hit arrives in another way than it should"
expect "return probes are refused" sh -c '! insmod own_kretprobe.ko func=vfs_read'
on_one rmmod kprobes

spoilt kp_trial_look "jprobes are refused"
expect "jprobes are refused" sh -c '! insmod own_jprobe.ko'
on_one rmmod kprobes

if [ $(uname -m) = x86_64 ] && dmesg | grep -q "ftrace: allocating"; then
	spoilt kp_trial_traced "probes at ftrace sites are refused"
	expect "a probe at an ftrace site is refused" sh -c '! insmod own_kprobe.ko symbol=vfs_read'
	on_one rmmod kprobes
fi
