# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Ours come and go while the kernel does to the same functions, and to its text, all
# that it can: each some times, all at the same time.
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
tracing=/sys/kernel/tracing
cpu=/sys/devices/system/cpu/cpu1/online
schedstats=/proc/sys/kernel/sched_schedstats
model=/sys/kernel/debug/sched/preempt
# On a busy host they wait for one another's locks for minutes; it says so.
hung=/proc/sys/kernel/hung_task_timeout_secs
[ ! -e $hung ] || { was_hung=$(cat $hung); echo 0 >$hung; }
engine_start
insmod kp_beside.ko $etext || echo "not ok insmod kp_beside.ko $etext"
rounds() { cat /sys/module/kp_beside/parameters/rounds; }

# switching NAME ROUNDS COMMAND...
switching() {
	local name=$1 left=$2
	shift 2
	while [ $left -gt 0 ]; do
		"$@" || { echo "not ok beside others: $name"; return; }
		left=$((left - 1))
	done
	echo "ok beside others: $name"
}

tracers() {
	local tracer
	for tracer in function function_graph nop; do
		echo $tracer >$tracing/current_tracer || return
		sleep 0.02
	done
}

# Where there is no ftrace site the tracer refuses them: 36-on-jump.sh has such.  Of
# modules' functions that have one MIPS's entries are refused by us.
case $(uname -m) in mips*) both=vfs_write ;; *) both=kp_beside:beside_traced ;; esac
# riscv64's kernel looks at what stands there, and refuses a breakpoint, as ours at vfs_read is.
case $(uname -m) in riscv64) third=vfs_write ;; *) third=vfs_read ;; esac
builtin() {
	echo "p:one $both
r:two $both
r:three $third" >$tracing/kprobe_events || return
	echo 1 >$tracing/events/kprobes/enable || return
	sleep 0.05
	echo 0 >$tracing/events/kprobes/enable || return
	echo >$tracing/kprobe_events
}

tracepoints() {
	local on event
	for on in 1 0; do
		for event in sched/sched_switch irq/softirq_raise timer/hrtimer_start; do
			[ ! -e $tracing/events/$event ] ||
				echo $on >$tracing/events/$event/enable || return
		done
	done
}

keys() {
	echo 1 >$schedstats && echo 0 >$schedstats
}

static_calls() {
	local was=$(sed 's/.*(\(.*\)).*/\1/' $model)
	echo full >$model && echo $was >$model
}

cpus() {
	echo 0 >$cpu && sleep 0.02 && echo 1 >$cpu
}

modules() {
	insmod kp_victim.ko && echo 3 >/sys/module/kp_victim/parameters/work && rmmod kp_victim
}

# On each processor, those that come and go included.
watches() {
	insmod own_wprobe.ko symbol=panic_timeout && rmmod own_wprobe
}

# Programs of BPF at functions where probes of ours stay: trampolines.c.
trampolines() {
	./trampolines 2 /tmp/read_nr
}

# The kernel looks at all stacks, some seconds long.  A probe with a post_handler is
# refused meanwhile.
livepatch=/sys/kernel/livepatch/kp_livepatch
livepatch_settled() { grep -q 0 $livepatch/transition; }
livepatch_gone() { [ ! -e $livepatch ] && rmmod kp_livepatch 2>/dev/null; }
livepatched() { [ "$(cat /sys/module/kp_livepatch/parameters/calls)" -gt 20 ]; }
busy() { insmod own_kprobe.ko symbol=kp_beside:beside_mended 2>&1 | grep -qi busy; }
livepatches() {
	insmod kp_livepatch.ko && eventually livepatch_settled && eventually livepatched && busy &&
		echo 0 >$livepatch/enabled && eventually livepatch_gone
}

pids=
if [ -e trampolines ] && [ -e /sys/kernel/btf/vmlinux ]; then
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	switching "BPF's trampolines" 1 trampolines & pids="$pids $!"
else
	echo "# this kernel has no BPF with types"
fi
if [ -e kp_livepatch.ko ]; then
	switching "live patches" 2 livepatches & pids="$pids $!"
else
	echo "# this kernel has no live patching"
fi
if [ -e $tracing/available_filter_functions ]; then
	# few functions: a virtual machine is slow at patching all
	echo 'beside_* vfs_*' >$tracing/set_ftrace_filter
	switching "the tracers" 2 tracers & pids="$pids $!"
fi
if [ -e $tracing/kprobe_events ]; then
	switching "the kernel's own probes" 3 builtin & pids="$pids $!"
fi
if [ -e $tracing/events/sched ]; then
	switching "tracepoints" 3 tracepoints & pids="$pids $!"
fi
[ ! -e $schedstats ] || { switching "static keys" 10 keys & pids="$pids $!"; }
[ ! -e $model ] || { switching "static calls" 1 static_calls & pids="$pids $!"; }
[ ! -e $cpu ] || { switching "CPUs" 2 cpus & pids="$pids $!"; }
# On MIPS modules get no debug registers, on arm nothing steps over an access, and riscv64's
# kernel has no hardware breakpoints.
case $(uname -m) in
mips* | arm* | riscv64) ;;
*) ! grep -qw panic_timeout /proc/kallsyms || { switching "watch probes" 5 watches & pids="$pids $!"; } ;;
esac
switching "modules" 3 modules & pids="$pids $!"
wait $pids
while [ $(rounds) -le 16 ]; do sleep 0.1; done
if [ -e /tmp/read_nr ]; then cat /tmp/read_nr >/sys/module/kp_beside/parameters/read_nr; fi
echo "ok K-INV-07 ours came and went meanwhile"
rmmod kp_beside || echo "not ok rmmod kp_beside"
[ ! -e $tracing/set_ftrace_filter ] || echo >$tracing/set_ftrace_filter
[ ! -e $hung ] || echo $was_hung >$hung
engine_stop
