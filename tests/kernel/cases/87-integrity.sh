# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A large consumer: return probes on what executes, traces, loads, changes rights and patches
# text, whose handlers take locks and form sums of the kernel's text.  In a torture 150 rounds.
# Not with a thread of QEMU's for each processor: it may keep the breakpoint by which the kernel
# patches a jump label, and both processors try the instruction again for ever, with any Kprobes.
engine_start
. ./torture.conf
schedstats=/proc/sys/kernel/sched_schedstats
events=/sys/kernel/tracing/events/sched/enable
[ -e $events ] || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
toggle() {
	[ ! -e $schedstats ] || echo $1 >$schedstats
	[ ! -e $events ] || echo $1 >$events
}
insmod kp_integrity.ko $etext || echo "not ok insmod kp_integrity.ko"
rounds=$((SECONDS_EACH < 10 ? 5 * SECONDS_EACH : 150))
round=0
while [ $((round += 1)) -le $rounds ]; do
	toggle 1
	./integrity_work 1 || echo "not ok round $round: each process did its work"
	insmod kp_victim.ko && rmmod kp_victim || echo "not ok round $round: a module comes and goes"
	toggle 0
done
echo "# $rounds rounds"
rmmod kp_integrity
dmesg | sed -n 's/.*integrity: # /# /p'
expect "the list is empty" test -z "$(cat $control/list)"
engine_stop
