# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A module goes and leaves its probes registered: they are dropped, and said to be.
engine_start
insmod kp_victim.ko
work=/sys/module/kp_victim/parameters/work
log() { dmesg | sed "1,/KP-FORGOTTEN $mode/d"; }
said() { log | grep -c "kp_forgets goes and has not unregistered its probe at $1"; }
begin() {
	mode=$1
	echo "KP-FORGOTTEN $mode" >/dev/kmsg
}
# insmod may try twice.
told() {
	n=$(said victim_other+0x0)
	[ $n -gt 0 -a $(said victim_work+0x0) = $((5 * n)) -a $(said victim_work+) = $((6 * n)) -a \
		$(said hrtimer_nanosleep+) = $n ] || { log; false; }
}
# drops MODE: what the module does with it, and what is left of it then.
drops() {
	begin $1
	sleep 3 & sleeper=$!
	if [ $1 = init ]; then
		! insmod kp_forgets.ko mode=$1 2>/dev/null || echo "not ok it was to fail"
	else
		insmod kp_forgets.ko mode=$1 || echo "not ok insmod kp_forgets.ko mode=$1"
		sleep 0.1 & wait $!
		echo 1000 >$work || echo "not ok $1: calls are right"
	fi
	shift
	[ ! -e /sys/module/kp_forgets ] || rmmod kp_forgets
	expect "K-UNR-02 $1: no probe of its is left" test -z "$(cat $control/list)"
	echo 1000 >$work || echo "not ok $1: calls are right"
	expect "K-UNR-02 $1: each probe is told by name" \
		told
	wait $sleeper
	expect "K-RET-61 $1: who slept in a call returns" test $? = 0
}
drops struct "with its structs"
drops heap "its structs stay on the heap"
drops init "its init function fails"
expect "they were hit" sh -c "dmesg | grep -q 'kp_forgets: [a-z]*: [1-9][0-9]* hits'"

begin begins
insmod kp_forgets.ko mode=begins
expect "K-UNR-02 one that lay in memory for starting is told" test $(said victim_work+0x0) = 1
echo 1000 >$work
rmmod kp_forgets
expect "K-UNR-02 and is gone" test -z "$(cat $control/list)"

# The memory of their structs goes before the module does: each is found out at its hit,
# where that is a trap.
case $control in */kprobes) knob=kprobes ;; *) knob=kp ;; esac
echo 0 >/proc/sys/debug/$knob-optimization
insmod kp_forgets.ko mode=freed
for i in 1 2 3; do echo 10 >$work || echo "not ok calls are right"; done
expect "K-FLT-05 a struct that is gone is told" \
	sh -c "dmesg | grep -q 'the struct of the probe at 0x[0-9a-f]* is gone or read-only, though it is registered'"
rmmod kp_forgets
echo 10 >$work
expect "K-UNR-02 and goes with its module" test -z "$(cat $control/list)"

# Read-only structs: also where a miss is to be counted, by a breakpoint and as it comes.  On MIPS
# nothing of a module is read-only.
case $(uname -m) in mips*) ways= ;; *) ways="0 1" ;; esac
for on in $ways; do
	echo $on >/proc/sys/debug/$knob-optimization
	begin ro
	insmod kp_forgets.ko mode=ro
	sleep 0.2 & wait $!
	for i in 1 2 3; do echo 10 >$work || echo "not ok ro: calls are right"; done
	expect "K-FLT-05 a struct that cannot be written is told, jumps: $on" \
		sh -c "dmesg | sed '1,/KP-FORGOTTEN ro/d' | grep -q 'is gone or read-only, though it is registered'"
	rmmod kp_forgets
	echo 10 >$work
	expect "K-UNR-02 and goes with its module" test -z "$(cat $control/list)"
done

# The handlers are in another module, which goes first.
insmod kp_asleep.ko on=kp_victim:victim_other
lent=$(awk '$3 == "count" && $4 == "[kp_asleep]" { print $1 }' /proc/kallsyms)
begin lent
insmod kp_forgets.ko mode=lent lent=0x$lent || echo "not ok insmod kp_forgets.ko mode=lent"
echo 10 >$work
rmmod kp_asleep
expect "K-UNR-02 handlers that go are told" \
	test $(log | grep -c 'kp_asleep goes and has not unregistered its probe at victim_') = 2
echo 10 >$work || echo "not ok lent: calls are right"
rmmod kp_forgets
expect "K-UNR-02 and their probes are gone" test -z "$(cat $control/list)"
rmmod kp_victim
engine_stop
