#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns what is asked of the kernel in a machine with another processor, by the command's
# scripts.

. "${TEST:-/test}/says.sh"
. ./words.sh
# Who calls vfs_read, in a stack.
reads_by='[a-z0-9_]*sys_p*read\(64\)*+'

insmod ./kprobes.ko && insmod ./kprobes_trace.ko
result "the modules load" $?
kp trace 'kprobe:vfs_read { @[comm] = count(); @n = hist(arg2); } interval:s:2 { exit(); }' &&
	grep -q '^@n:' $said && grep -q '^@\[.*\]: [0-9]' $said
result "trace: a function of the kernel" $?
kp trace 'kprobe:vfs_read /comm == "dd"/ { @ = count(); }' -- dd if=/dev/zero of=/dev/null bs=1 count=1000 &&
	grep -q '^@: 10[0-9][0-9]$' $said
result "trace: each of its calls" $?
kp trace 'kretprobe:vfs_read /comm == "dd"/ { @[retval] = count(); }' -- dd if=/dev/zero of=/dev/null bs=7 count=100 &&
	grep -q '^@\[7\]: 100$' $said
result "trace: what it returns" $?
kp trace 'kprobe:vfs_read /comm == "dd"/ { @[kstack(3)] = count(); }' -- dd if=/dev/zero of=/dev/null bs=1 count=100 &&
	grep -q '^ *vfs_read+[04]$' $said && grep -q "^ *$reads_by" $said
result "trace: stacks at its entry" $?
kp trace 'kretprobe:vfs_read { @[kstack(3)] = count(); } interval:s:2 { exit(); }' &&
	grep -q "^ *$reads_by" $said
result "trace: stacks at its return" $?
kp trace 'tracepoint:syscalls:sys_enter_openat /comm == "dd"/ { printf("<%s>\n", str(args.filename)); }' -- \
	dd if=./words.sh of=/dev/null && grep -q '^<./words.sh>$' $said
result "trace: a system call's argument" $?
kp trace 'tracepoint:syscalls:sys_exit_read /comm == "dd"/ { @[args.ret] = count(); }' -- \
	dd if=/dev/zero of=/dev/null bs=9 count=50 && grep -q '^@\[9\]: 50$' $said
result "trace: what a system call returns" $?
kp trace 'tracepoint:raw_syscalls:sys_enter /comm == "dd"/ { @[args.id] = count(); }' -- \
	dd if=/dev/zero of=/dev/null bs=9 count=50 && [ "$(grep -c '^@\[[0-9]*\]: 5[0-9]$' $said)" = 2 ]
result "trace: which system calls" $?
kp trace 'kprobe:no_such_function { @ = count(); }'
[ $? != 0 ] && grep -q 'no_such_function' $said
result "trace: a function that is not there is refused" $?
rmmod kprobes_trace && rmmod kprobes
result "the modules go" $?
exit $failed
