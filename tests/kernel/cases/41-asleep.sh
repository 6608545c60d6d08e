# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tasks sleep in calls with a return probe, for ever, as kernel threads and idle tasks do: the
# engine goes all the same, and they return to who has called them.
second=/sys/devices/system/cpu/cpu1/online
cycle() {
	[ -e $second ] || return 0
	echo 0 >$second
	echo 1 >$second
}
for functions in schedule do_idle,schedule_idle,cpu_startup_entry,default_idle_call \
		kthread,worker_thread,kthreadd,smpboot_thread_fn,schedule_timeout,hrtimer_nanosleep,do_nanosleep \
		schedule,multi_cpu_stop,cpu_stopper_thread,finish_task_switch,schedule_tail,do_exit,do_task_dead,rcu_gp_kthread,kswapd,__switch_to \
		schedule,schedule_timeout,hrtimer_nanosleep,do_nanosleep,worker_thread,cpu_startup_entry; do
	engine_start
	insmod kp_asleep.ko on=$functions || echo "not ok insmod kp_asleep.ko on=$functions"
	sleep 1000 & forever=$!
	sleep 4 & sleeper=$!
	# Idle tasks begin, threads too.
	cycle
	sleep 1
	rmmod kp_asleep
	rm -f /tmp/gone
	(rmmod kprobes; : >/tmp/gone) &
	expect "K-RET-61 $functions: the engine goes" eventually test -e /tmp/gone
	[ -e /tmp/gone ] || break
	cycle
	wait $sleeper
	expect "$functions: who has slept goes on" test $? = 0
	kill $forever
	wait $forever 2>/dev/null
done
dmesg | sed -n 's/.*\(kp_asleep: not \)/# \1/p' | sort -u
