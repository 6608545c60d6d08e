# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What is no function: the tracepoints of all system calls.
export KPROBES_KO=/test/kprobes.ko

traces() {
	timeout 120 kprobes trace "$@" >/tmp/said 2>/tmp/err || { cat /tmp/err /tmp/said; return 1; }
}
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
rmmod kprobes_trace
rmmod kprobes
