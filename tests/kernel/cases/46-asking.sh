# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes trace asks the kernel, as a user would type it.
export KPROBES_KO=/test/kprobes.ko

echo "some text" >/tmp/file
expect "a count, while a command runs" status 0 kprobes trace \
	'kprobe:vfs_read /comm == "dd"/ { @ = count(); }' -- \
	dd if=/dev/zero of=/dev/null bs=1 count=1000
expect "... is what it did" says "@: 10[0-9][0-9]$"
expect "by what it returns" status 0 kprobes trace \
	'kretprobe:vfs_read /comm == "dd"/ { @[retval] = count(); }' -- \
	dd if=/dev/zero of=/dev/null bs=7 count=100
expect "... exactly" says "@\[7\]: 100$"
expect "clauses of one place" status 0 kprobes trace \
	'kprobe:vfs_read /comm == "dd"/ { printf("a"); } kprobe:vfs_rea? /comm == "dd"/ { printf("b"); } kprobe:vfs_read /comm == "dd"/ { printf("c."); }' -- \
	dd if=/dev/zero of=/dev/null bs=1 count=3
expect "... run in the script's order" says "^abc\.abc\.abc\."
expect "an int that is an error" status 0 kprobes trace \
	'kretprobe:filename_lookup /comm == "sh" && retval < 0/ { @[retval] = count(); }' -- \
	sh -c 'test -e /no/such; test -e /no/such; true'
expect "... is negative" says "@\[-2\]: 2$"
expect "a system call's arguments by name" status 0 kprobes trace \
	'tracepoint:syscalls:sys_enter_openat /comm == "dd"/ { printf("<%s>\n", str(args.filename)); }' -- \
	dd if=/tmp/file of=/dev/null
expect "... a string of the user's" says "^</tmp/file>$"
expect "a system call's result" status 0 kprobes trace \
	'tracepoint:syscalls:sys_exit_read /comm == "dd"/ { @[args.ret] = count(); }' -- \
	dd if=/dev/zero of=/dev/null bs=9 count=50
expect "... exactly" says "@\[9\]: 50$"
expect "a histogram" status 0 kprobes trace \
	'kretprobe:vfs_read /comm == "dd"/ { @ = hist(retval); }' -- \
	dd if=/dev/zero of=/dev/null bs=4096 count=100
expect "... of all" says "^\[4K, 8K\) +100 \|@+"
expect "stacks of the kernel" status 0 kprobes trace \
	'kprobe:vfs_read /comm == "dd"/ { @[kstack(3)] = count(); }' -- \
	dd if=/dev/zero of=/dev/null bs=1 count=100
# Behind a landing pad, where there is one.
expect "... begin where the probe is" says "^ +vfs_read\+[04]$"
expect "... with addresses" status 0 kprobes trace \
	'kprobe:seq_write /comm == "cat"/ { @[kstack(perf, 4)] = count(); }' -- \
	cat $control/list
expect "... without a module" says "^	ffffffff[0-9a-f]+ seq_write\+[04]$"
expect "... or with it" says "^	ffffffff[0-9a-f]+ [a-z_]+\+[0-9]+ \(kprobes\)$"
expect "latency by a map" status 0 kprobes trace \
	'kprobe:vfs_read /comm == "dd"/ { @begin[tid] = nsecs; } kretprobe:vfs_read /@begin[tid]/ { @n = count(); @ns = min(nsecs - @begin[tid]); delete(@begin[tid]); }' -- \
	dd if=/dev/zero of=/dev/null bs=1 count=100
expect "... every one" says "^@n: 1[0-9][0-9]$"
expect "BEGIN, END and exit" status 0 kprobes trace \
	'BEGIN { printf("begun\n"); } interval:ms:300 { exit(); } kprobe:vfs_read { @ = count(); } END { printf("ended\n"); }'
expect "... in order" sh -c "tr '\n' ' ' </tmp/said | grep -q 'begun.*ended'"
expect "wildcards" status 0 kprobes trace \
	'kprobe:vfs_rea? { @[func] = count(); }' -- dd if=/dev/zero of=/dev/null bs=1 count=10
expect "... by the function" says "^@\[vfs_read\]: 1"
expect "what is on top" status 0 kprobes top --by comm -d 60 kprobe:vfs_read \
	-- dd if=/dev/zero of=/dev/null bs=1 count=1000
expect "... as often as it was" says "^ +[0-9]+ +10[0-9][0-9]  dd$"
expect "an offset behind the function" status 2 kprobes trace \
	'kprobe:vfs_read+1000000 { @ = count(); }'
expect "... is told how long it is" says "vfs_read has only 0x[0-9a-f]+ bytes"
# The scripts for a kernel that come with the command.
expect "kernel-latency.bt" status 0 kprobes trace scripts/kernel-latency.bt vfs_read -- \
	dd if=/dev/zero of=/dev/null bs=1 count=100
expect "... of the command" says "^@ns\[dd\]:"
expect "kernel-callers.bt" status 0 kprobes trace scripts/kernel-callers.bt vfs_read -- \
	dd if=/dev/zero of=/dev/null bs=1 count=100
expect "... with its stack" says "^ +vfs_read\+[04]$"
expect "kernel-reads.bt" status 0 kprobes trace scripts/kernel-reads.bt -- \
	dd if=/dev/zero of=/dev/null bs=5 count=100
expect "... how often" says "^@calls\[dd\]: 10[0-9]$"
expect "... how much" says "^\[4, 8\) +10[0-9] "
expect "kernel-failed.bt" status 0 kprobes trace scripts/kernel-failed.bt vfs_read -- \
	dd if=/tmp of=/dev/null
expect "... and why" says "^@\[dd, Is a directory\]: 1$"
expect "a function that is none" status 2 kprobes trace 'kprobe:vfs_raed { @ = count(); }'
expect "... is guessed" says "vfs_read"
expect "JSON" status 0 kprobes trace -f json \
	'kprobe:vfs_read /comm == "dd"/ { @ = count(); }' -- dd if=/dev/zero of=/dev/null bs=1 count=10
expect "... a line each" says '^\{"type": "map", "data": \{"@": 1'
expect "no probe is left" test -z "$(cat $control/list)"
if grep -q ' vfs_read$' /proc/kallsyms && [ -e /sys/kernel/btf/vmlinux ]; then
	expect "arguments by name and structures, from BTF" status 0 kprobes trace \
		'kprobe:vfs_open { printf("<%s>\n", str(args.path->dentry->d_name.name)); }' -- cat /tmp/file
	expect "... the file's name" says "^<file>$"
	expect "the task's" status 0 kprobes trace \
		'kprobe:vfs_read /comm == "dd"/ { printf("%d %s\n", curtask->pid == tid, curtask->comm); exit(); }' -- dd if=/dev/zero of=/dev/null bs=1 count=100
	expect "... is the one that runs" says "^1 dd$"
fi
rmmod kprobes_trace
rmmod kprobes
