# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What is no function: the tracepoints of all system calls, others, and samples.
export KPROBES_KO=/test/kprobes.ko

traces() {
	timeout 300 kprobes trace "$@" >/tmp/said 2>/tmp/err || { cat /tmp/err /tmp/said; return 1; }
}
refuses() { ! timeout 300 kprobes trace "$1" >/tmp/said 2>&1 && grep -q "$2" /tmp/said; }
expect "all system calls" traces 'tracepoint:raw_syscalls:sys_enter /comm == "rmdir"/ { @[args.id] = count(); @path[str(uptr(args.args[0]))] = count(); }
	tracepoint:raw_syscalls:sys_exit /comm == "rmdir" && args.id == 84/ { @ret[args.ret] = count(); }' -- /bin/rmdir /nothing-there
expect "by number" says "^@\[84\]: 1$"
expect "their arguments" says "^@path\[/nothing-there\]: 1$"
expect "what they return" says "^@ret\[-2\]: 1$"
expect "they are listed" traces -l 'tracepoint:raw_syscalls:sys_enter'
expect "with what each has" says "unsigned long args\[5\]"
expect "one is listed" traces -l 'tracepoint:syscalls:sys_enter_openat'
expect "with its arguments" says "char \* *filename"
expect "at its end" traces -l 'tracepoint:syscalls:sys_exit_openat'
expect "with what it returns" says "long ret"

# The kernel's clock, on every processor.
expect "samples of a busy process" traces 'profile:hz:99 /comm == "dd"/ { @ = count(); @cpu = lhist(cpu, 0, 64, 1); @stacks[kstack(3)] = count(); }' -- dd if=/dev/zero of=/dev/null bs=65536 count=20000
expect "... find it at work" says "^@: [1-9][0-9]"
expect "... in the kernel" says "read_iter_zero|clear_user|read_zero"
expect "units" traces 'profile:ms:10 { @n = count(); } interval:s:1 { exit(); }'
expect "... are known" says "^@n: [1-9]"
expect "too often is refused" sh -c "! timeout 300 kprobes trace 'profile:hz:1000000 { @ = count(); }' 2>&1 | grep -q Attached"
# Another case may have done so.
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
if [ -d /sys/kernel/tracing/events/sched ]; then
	expect "a tracepoint" traces 'tracepoint:sched:sched_process_exec { printf("<%s> %d\n", str(args.filename), args.pid == pid); } tracepoint:sched:sched_switch /args.prev_comm == "sleep" && args.prev_state == TASK_INTERRUPTIBLE/ { @sleeps = count(); @st[kstack(4)] = count(); @p[probe] = count(); }' -- sleep 0.2
	expect "... with a text behind its record" says "^<[a-z/]*> 1$"
	expect "... and one within" says "^@sleeps: [1-9]"
	expect "... and the stack there" says "schedule"
	expect "... by its name" says "^@p\\[tracepoint:sched:sched_switch\\]"
	expect "all of a kind" traces 'tracepoint:sched:sched_process_* { @[probe] = count(); }' -- /bin/true
	expect "... each by its name" says "tracepoint:sched:sched_process_exit"
	expect "they are listed" traces -l 'tracepoint:sched:sched_sw*'
	expect "... with their fields" says "char *prev_comm|prev_comm"
	expect "one that is none" refuses 'tracepoint:sched:no_such { @ = count(); }' "no such tracepoint"
	expect "... nor is leaving it out" refuses 'tracepoint:sched:sched_switch { override(0); }' "override"
	# Question marks in all places: as many patterns, each of which is met.
	awk 'BEGIN { for (n = 0; n < 257; n++) { printf "tracepoint:sched:"; rest = n; for (i = 1; i <= 12; i++) { printf "%s", rest % 2 ? "?" : substr("sched_switch", i, 1); rest = int(rest / 2); } print " { @ = count(); }" } }' >/tmp/many.bt
	expect "more of them than a script may name" refuses /tmp/many.bt "256 tracepoints"
	# A reader that is killed takes them away.
	kprobes trace 'tracepoint:sched:sched_switch { @ = count(); } profile:hz:999 { @p = count(); }' >/tmp/held 2>&1 &
	eventually grep -q Attached /tmp/held
	kill -9 $!
	# ... whenever that is.
	for ms in 100 200 300 500; do
		kprobes trace 'tracepoint:sched:sched_switch { @ = count(); }' >/tmp/held 2>&1 &
		usleep ${ms}000
		kill -9 $!
	done
	umount /sys/kernel/tracing
else
	expect "a kernel without tracepoints" refuses 'tracepoint:sched:sched_switch { @ = count(); }' "does not show its tracepoints"
fi
expect "no reader is left" sh -c 'for i in $(seq 600); do rmmod kprobes_trace 2>/dev/null && exit; usleep 500000; done; lsmod; ps; exit 1'
rmmod kprobes
