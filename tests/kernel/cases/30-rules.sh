# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rules that only a kernel has; and a module that comes and goes under probes.
engine_start
insmod kp_rules.ko || echo "not ok insmod kp_rules.ko"
work=/sys/module/kp_victim/parameters/work

# Three functions that call one another, the last two with return probes: the
# lines are there, in this order, and none is in doubt.
dmesg | sed -n '/KP-TRACE begin/,/KP-TRACE end/p' >/tmp/trace
dmesg | sed -n 's/.*KP-COST/#/p'
expect "K-RET-44 dump_stack shows the real callers" sh -c '
	sed -n "s/.* \(? \)\?\(trace_[a-z]*\)\(.cold\)\?+0x.*/\1\2/p" /tmp/trace |
		tr "\n" " " | grep -qx "trace_body trace_inner trace_middle trace_outer trace_rules " ||
		{ cat /tmp/trace; false; }'

insmod kp_victim.ko
echo 5 >$work
expect "K-KNB-02 the list names function and module" \
	grep -qE '^[0-9a-f]{16}  k  victim_work\+0x0  kp_victim (\[OPTIMIZED\])?$' $control/list
expect "K-MOD-12 K-REG-60 a probed module unloads" rmmod kp_victim
expect "K-MOD-02 the list says GONE" \
	grep -qE '^([0-9a-f]{16})  k  0x\1 \[GONE\]$' $control/list

insmod kp_victim.ko
echo 1 >/sys/module/kp_rules/parameters/step
echo 4 >$work
rmmod kp_victim

expect "an engine in use is not unloaded" sh -c '! rmmod kprobes'
rmmod kp_rules
expect "the list is empty" test -z "$(cat $control/list)"
engine_stop
