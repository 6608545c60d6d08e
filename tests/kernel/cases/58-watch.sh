# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes watch, and watchpoints in scripts: who touches the kernel's memory?
export KPROBES_KO=/test/kprobes.ko
panic=/proc/sys/kernel/panic
echo 1 >$panic

# watches WORDS...: "kprobes watch", in the background; when it is set we go on.
watches() {
	rm -f /tmp/said
	kprobes watch -v "$@" >/tmp/said 2>&1 &
	watching=$!
	eventually grep -qs "probes are set" /tmp/said || { cat /tmp/said; return 1; }
}
# What it has to say comes at its end at the latest.
ended() { kill -INT $watching; wait $watching; }
told() { test "$(grep -c "$1" /tmp/said)" = "$2" || { cat /tmp/said; return 1; }; }

expect "who changes a variable" watches panic_timeout:4
expect "K-WAT-18 by debug registers" grep -q "  w  panic_timeout+0x0 .*\[CHANGED\]\[REGISTERS\]" $control/list
echo 17 >$panic
echo 17 >$panic
expect "... ends" ended
expect "... tells it once" told "^panic_timeout 0x[0-9a-f]*: 1 -> 17 (0x1 -> 0x11), sh [0-9]*/[0-9]*$" 1
expect "... with the kernel's stack" says "^ +(proc_sys_write|vfs_write|proc_sys_call_handler|ksys_write)\+[0-9]+"
expect "... and nothing else" told " -> .*0x" 1

expect "every write, while a command runs" status 0 kprobes watch -k panic_timeout:4:w -- \
	sh -c "echo 18 >$panic; echo 18 >$panic"
expect "... is told" told "^panic_timeout .*, sh [0-9]*/[0-9]*$" 2
expect "... also that changes nothing" says "^panic_timeout 0x[0-9a-f]+: 18 -> 18 "

mkfifo /tmp/numbers
sh -c "while read number; do echo \$number >$panic; done" </tmp/numbers &
writer=$!
exec 7>/tmp/numbers
expect "what one process does" watches -k panic_timeout:4 -p $writer
echo 19 >$panic
echo 20 >&7
expect "... ends" eventually grep -qx 20 $panic && ended
exec 7>&-
expect "... is told" told "^panic_timeout .*: 19 -> 20 .*, sh $writer/$writer$" 1
expect "... and not what others do" told " -> .*0x" 1

# The script's own, with the rest of the language.
address=0x$(awk '$3 == "panic_timeout" { print $1 }' /proc/kallsyms)
script='{ printf("%d %d->%d %d %d %s %d\n", args.addr == arg2, args.before, args.after, args.size, args.written, comm, pid == tid);
	@[args.addr - args.object] = count(); @p[probe] = count(); @f[func] = count(); @k[kstack(3)] = count(); @u[ustack(1)] = count(); }'
expect "a watchpoint of an address" status 0 kprobes trace "kwatchpoint:$address:4:rw $script" -- \
	sh -c "echo 21 >$panic"
expect "... has what is known of the access" says "^1 20->21 4 1 sh 1$"
expect "... where it began" says "^@\[0\]: [1-9]"
expect "... its name" says "^@p\[kwatchpoint:$address\]: [1-9]"
expect "... the function" says "^@f\[[a-z_]+\]: [1-9]"
expect "reads" status 0 kprobes trace "kwatchpoint:panic_timeout:4:rw { @[args.written] = count(); }" -- \
	cat $panic
expect "... are told" says "^@\[0\]: [1-9]"
expect "a part of a variable" status 0 kprobes trace "kwatchpoint:panic_timeout+1:1:c { @ = count(); }" -- \
	sh -c "echo 22 >$panic; echo 512 >$panic; echo 513 >$panic"
expect "... alone" says "^@: 1$"
expect "without a process a watchpoint is the kernel's" status 0 kprobes trace \
	'watchpoint:jiffies:8:w { if (args.after == args.before + 1) { @ticks++; } if (@ticks > 9) { exit(); } }'
expect "... and has true hits" says "^@ticks: [1-9][0-9]"
# refused WORDS KPROBES-ARGUMENTS...: none is set, and WORDS say why.
refused() {
	why=$1
	shift
	! timeout 100 kprobes "$@" -- true >/tmp/said 2>&1 && says "$why"
}
expect "more than four words are refused" refused "jiffies: all debug registers of a processor are in use" \
	watch -k panic_timeout:1 panic_timeout+1:1 panic_timeout+2:1 panic_timeout+3:1 jiffies:8
expect "also of one variable" refused "do not fit the processor's debug registers" watch -k panic_timeout:40
expect "no process, where one was meant" status 5 kprobes watch total:8
expect "... is said" says "give -p PID"
expect "no such variable" refused "no such symbol" watch -k no_such_variable:4
expect "a process's address" refused "a process's address, or a variable of which" watch -k 0x601000:4
expect "no memory" refused "no memory that can be read" watch -k 0xffffc8ffffff0000:4
expect "what a script names" refused "memory of a process: watchpoint:" trace 'kwatchpoint:*:w { @ = count(); }'
expect "what a function returns" refused "needs a process" watch -k --on-return kmalloc
expect "no probe is left" test -z "$(cat $control/list)"

# A module with a defect, found by one command.
insmod kp_overrun.ko || echo "not ok insmod kp_overrun.ko"
expect "a module's memory" status 0 kprobes watch -k shop+32:8 -- \
	sh -c "echo 3000 >/sys/module/kp_overrun/parameters/serve"
expect "K-WAT-03 ... what changed it" says "^shop\+32 0x[0-9a-f]+: 1000 -> 872 \(0x3e8 -> 0x368\), sh "
expect "... and how" sh -c "tr -d '\n' </tmp/said | grep -qE '1000 -> 872 [^:]* +retitle\+[0-9]+ +(serve_one\+[0-9]+ +)?set_serve\+'"
expect "... each time" told "^shop+32 " 2
rmmod kp_overrun

# Probes on the code that writes: any number of bytes.
expect "what some functions write" watches panic_timeout:4:w --code '*proc_dointvec*'
expect "K-WAT-36 by probes on their code" grep -q "  w  panic_timeout+0x0 .*\[WRITE\]\[CODE\]" $control/list
echo 513 >$panic
expect "... ends" ended
expect "... is told" told "^panic_timeout 0x[0-9a-f]*: 513 -> 513 .*, sh [0-9]*/[0-9]*$" 1
expect "... with the kernel's stack" says "^ +[a-z_]*proc_dointvec[a-z_.]*\+[0-9]+"
expect "code that is not there" status 2 kprobes watch -k panic_timeout:4 --code no_such_function_here -- true
expect "... is refused" says "no_such_function_here"

# A processor goes and comes back, and one comes that was not there.
second=/sys/devices/system/cpu/cpu1/online
if [ -e $second ]; then
	expect "a watch" watches panic_timeout:4:c
	echo 0 >$second
	echo 31 >$panic
	echo 1 >$second
	taskset 2 sh -c "echo 32 >$panic"
	expect "... ends" ended
	expect "... and the first processor was watched" told "^panic_timeout .*: 513 -> 31 " 1
	expect "K-WAT-35 a processor that comes back is watched" told "^panic_timeout .*: 31 -> 32 " 1
	echo 0 >$second
	expect "a watch of all registers" watches panic_timeout:4:c panic_timeout+4:4 jiffies:8 jiffies+8:8
	echo 1 >$second
	taskset 2 sh -c "echo 33 >$panic"
	echo 34 >$panic
	expect "... ends" ended
	expect "K-WAT-35 one that comes later is watched" told "^panic_timeout .*: 32 -> 33 " 1
	expect "... and the first one still is" told "^panic_timeout .*: 33 -> 34 " 1
	for _ in 1 2 3 4 5; do
		echo 0 >$second
		echo 1 >$second
	done
	expect "a watch of all registers" status 0 kprobes watch -k panic_timeout:4:c panic_timeout+4:4 \
		jiffies:8 jiffies+8:8 -- taskset 2 sh -c "echo 35 >$panic"
	expect "... has them all" told "cannot be\|no debug register\|in use" 0
	expect "... and the second processor" told "^panic_timeout .*: 34 -> 35 " 1
else
	echo "ok K-WAT-35 a processor that comes later # skip: this kernel has them all at once"
fi

# Who watches is killed.
expect "a watch" watches jiffies:8
kill -9 $watching
wait $watching 2>/dev/null
no_probe() { test -z "$(cat $control/list)"; }
expect "... that is killed leaves nothing" eventually no_probe
echo 0 >$panic
expect "no reader is left" eventually rmmod kprobes_trace
rmmod kprobes
