# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# K-FTR-06: ftrace's own users and the kernel's Kprobes come and go at functions
# that we probe through ftrace.
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
tracing=/sys/kernel/tracing
if [ ! -e $tracing/available_filter_functions ]; then
	echo "# this kernel has no function tracing"
	exit 0
fi
users() { wc -l <$tracing/enabled_functions; }
before=$(users)
engine_start

tracers() {
	for tracer in function function_graph nop; do
		echo $tracer >$tracing/current_tracer
		usleep 20000
	done
}

builtin_hits() { awk '{ hits += $2 } END { exit !hits }' $tracing/kprobe_profile; }
builtin_probes() {
	echo 'p:one kp_traced:churn_target
r:two kp_traced:churn_other
p:three kp_traced:churn_other' >$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/enable
	eventually builtin_hits || echo "not ok K-FTR-06 the kernel's own probes were hit"
	echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events
}

# together SECONDS: all of them at once, then each alone
together() {
	end=$(($(date +%s) + $1))
	while [ $(date +%s) -lt $end ]; do tracers || echo "not ok K-FTR-06 tracers"; done & tracing_pid=$!
	while [ $(date +%s) -lt $end ]; do builtin_probes; done
	wait $tracing_pid
}

for churning in 0 1; do
	insmod kp_traced.ko churning=$churning || echo "not ok K-FTR-06 insmod kp_traced.ko"
	# few functions: a virtual machine is slow at patching all
	echo 'churn_*' >$tracing/set_ftrace_filter || echo "not ok K-FTR-06 set_ftrace_filter"
	echo 'on_jprobe vfs_*' >>$tracing/set_ftrace_filter
	expect "K-KNB-07 K-FTR-01 the list says FTRACE" \
		grep -qE '^([0-9a-f]{8}){1,2}  k  churn_target\+0x[04]  kp_traced (\[DISABLED\])?\[FTRACE\]$' $control/list
	# The other one's probes stay enabled while churning.
	expect "K-FTR-01 ftrace lists the function" grep -q "^churn_other " $tracing/enabled_functions
	together 2
	rmmod kp_traced || echo "not ok K-FTR-06 rmmod kp_traced"
done

insmod kp_traced.ko busy=0
echo 0 >$control/enabled
expect "K-KNB-23 K-FTR-06 off: ftrace is not asked for it" sh -c "! grep -q '^churn_target ' $tracing/enabled_functions"
echo 1 >$control/enabled
expect "K-KNB-24 K-FTR-06 on: it is" grep -q "^churn_target " $tracing/enabled_functions
expect "K-FTR-06 nobody switches ftrace off under our probes" sh -c "! echo 0 >/proc/sys/kernel/ftrace_enabled"
rmmod kp_traced
# Hooks linger.
for i in $(seq 60); do [ $(users) != $before ] || break; sleep 1; done
expect "K-INV-05 ftrace has no users left" test $(users) = $before
expect "K-FTR-06 ftrace can be switched off" sh -c "echo 0 >/proc/sys/kernel/ftrace_enabled"
expect "K-FTR-05 probes are refused then" sh -c "! insmod kp_traced.ko busy=0"
echo 1 >/proc/sys/kernel/ftrace_enabled
engine_stop
dmesg | sed -n 's/.*\(# [0-9]* calls.*\)/\1/p'
