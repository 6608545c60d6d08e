#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns what is done in a machine with another processor, by busybox, or on this one, where
# that executes the other's code, too: the command on processes that run, and scripts for
# the kernel (kernel.sh), where its modules are there.  What is the processor's own,
# tests/cli/ARCH/words.sh says.

. "${TEST:-/test}/says.sh"
watching=yes watches=yes reads=no size=8 alien=ax other= jumps=yes
why_reads="before the access"
# What takes minutes on an emulated processor, and others show: none of it.
few=
# How often threads of all kinds are entered and left.
rounds="1 2"
# What is done as often as natively, by that.
part=16
# A nap's seconds, in which one is to have been entered and left.
export NAP=20
[ ! -e full ] || part=4 NAP=90
. ./words.sh
program=target
# Until the kernel has random numbers, who asks for them sleeps, and a module that is tried
# meanwhile is taken for one that never ends.
head -c 1 /dev/random >/dev/null
# A process that dies leaves its registers in the kernel's log.
[ -n "${TEST-}" ] || echo 1 >/proc/sys/kernel/print-fatal-signals

# start NAME WORDS...: the target, on descriptor 7; its number is in $pid.
start() {
	rm -f $tmp/in $tmp/out
	mkfifo $tmp/in
	./$program "$@" <$tmp/in >$tmp/out 2>&1 &
	pid=$!
	exec 7>$tmp/in
	while ! grep -q ready $tmp/out; do sleep 0.1; done
	sleep 0.3
}

# It ends, and has noticed nothing.
stop() {
	exec 7>&-
	wait $pid
	status=$?
	cp $tmp/out $said
	[ $status = 0 ] || { echo "status $status"; dmesg | tail -n 20; } >>$said
	return $status
}

restored() { ./target text $pid >$said 2>&1; }

hits() { awk -v name="$1" '$0 ~ name { print ($(NF-8) + 0); exit }' $said; }

# stack FRAME: that frame is somewhere called by saves, which busy calls.
stack() {
	grep -A2 "^ *$1" $said | awk '$1 ~ /^saves\+/ { from = NR } $1 ~ /^busy\+/ && from && NR == from + 1 { found = 1 }
		END { exit !found }'
}

# ---- what needs no probe

start
kp funcs 'target_*' -p $pid
grep -q "target_work" $said
result "funcs of a process" $?
kp dis target_work --plan -p $pid
grep -q "$returns" $said && grep -q "plan: $breakpoint" $said
result "dis --plan of a process" $?

# ---- one thread, asleep in read()

kp load ./kprobe_example.so symbol=target_work -p $pid
result "load into one that sleeps" $?
kp list -p $pid
grep -q "target_work+0x0" $said
result "list" $?
kp disable target_work -p $pid && kp list -p $pid && grep -q DISABLED $said
result "disable" $?
kp enable target_work -p $pid && kp list -p $pid && ! grep -q DISABLED $said
result "enable" $?
kp log -p $pid && grep -q "is probed" $said
result "log" $?
kp unload -a -p $pid
result "unload" $?
restored
result "its text is restored" $?
stop
result "it has noticed nothing" $?

# ---- one whose sleep has an end

naps() {
	start naps
	kp load ./kprobe_example.so symbol=target_work -p $pid && sleep 1 && kp unload -a -p $pid
	result "in and out of one that naps" $?
	wait $pid
	status=$?
	exec 7>&-
	cp $tmp/out $said
	result "its nap takes as long as it should" $status
}
[ -n "$few" ] || naps

# ---- threads of all kinds

threads() {
	start busy busy sleeps blocked keeps
	for round in $rounds; do
		kp load ./hotspots.so probes=target_work,malloc,getppid,usleep -p $pid
		result "load into a busy one, $round" $?
		sleep 1
		kp list -p $pid && grep -q "malloc+0x0" $said &&
			{ [ $jumps = no ] || grep -q "malloc+0x0.*OPTIMIZED" $said; }
		result "its probes, as jumps where there are some, $round" $?
		kp unload -a -p $pid && grep -q "text restored at 4 of 4" $said &&
			[ "$(grep -c '+0x0/' $said)" = 4 ]
		result "unload, $round" $?
		restored
		result "its text is restored, $round" $?
	done
	for round in $rounds; do
		timeout -s KILL 0.0$((round * 13 % 9 + 1)) ./kprobes load ./hotspots.so probes=target_work -p $pid >$said 2>&1
		timeout -s KILL 0.$((round * 4 % 9 + 1)) ./kprobes load ./hotspots.so probes=target_work -p $pid >$said 2>&1
		timeout -s KILL 0.$((round * 7 % 9 + 1)) ./kprobes load ./hotspots.so probes=target_work -p $pid >$said 2>&1
	done
	kp unload -a -p $pid
	kp load ./hotspots.so probes=target_work -p $pid && kp unload -a -p $pid
	result "in and out after the command was killed" $?
	restored
	result "its text is restored after that" $?
	stop
	result "threads of all kinds have noticed nothing" $?
}
[ -n "$few" ] || threads

# ---- the switches

# switch COMMAND WORD VALUE: it takes the word, and has that value then.
switch() { kp "$1" "$2" -p $pid && kp "$1" -p $pid && [ "$(cat $said)" = "$3" ]; }
refuses() {
	kp "$1" -p $pid
	was=$(cat $said)
	! kp "$1" "$2" -p $pid && kp "$1" -p $pid && [ "$(cat $said)" = "$was" ]
}

start
kp load ./kprobe_example.so symbol=target_work -p $pid
for word in 0 1 n y off on; do
	case $word in 0 | n | off) value=0 ;; *) value=1 ;; esac
	switch enabled $word $value
	result "K-KNB-21 enabled takes $word" $?
done
refuses enabled 2 && refuses enabled x
result "K-KNB-22 enabled refuses other words" $?
for word in 0 1 n y; do
	case $word in 0 | n) value=0 ;; *) value=1 ;; esac
	switch optimization $word $value
	result "K-KNB-52 K-KNB-53 optimization takes $word" $?
done
refuses optimization 2 && refuses optimization yes
result "K-KNB-52 optimization refuses other words" $?
kp unload -a -p $pid
stop
result "it has noticed nothing of the switches" $?

# ---- scripts

# traced SCRIPT: for as long as it says.
traced() { timeout -s INT 100 ./kprobes trace "$1" -p $pid >$said 2>&1; }

scripts() {
	start busy
	traced 'uprobe:malloc /arg0 >= 16/ { @bytes = hist(arg0); } interval:s:2 { exit(); }' &&
		grep -q '^\[1K, 2K).*@' $said
	result "trace: a histogram of what is allocated" $?
	traced 'uprobe:target_work { @[ustack] = count(); } interval:s:2 { exit(); }' &&
		stack 'target_work+0$'
	result "trace: stacks at a function's entry" $?
	traced "uprobe:target_work+$within"' { @[ustack] = count(); } interval:s:2 { exit(); }' &&
		stack "target_work+$within\$"
	result "trace: stacks within a function" $?
	traced 'uretprobe:target_work { @[retval % 3] = count(); @sp = reg("sp"); } interval:s:2 { exit(); }' &&
		grep -q '^@\[1\]: [0-9]' $said && ! grep -q '^@\[[02]\]' $said
	result "trace: what a function returns" $?
	traced 'uprobe:target_work { @a = min(args.a); } interval:s:2 { exit(); }' &&
		grep -q '^@a: [0-9]' $said
	result "trace: an argument by its name" $?
	traced 'uprobe:target_pair { @[str(args.pair->first), str(args.pair->second)] = count(); } interval:s:2 { exit(); }' &&
		grep -q '^@\[one, two\]: [0-9]' $said
	result "trace: pointers among its structs" $?
	traced 'uprobe:target_work { printf("%d", reg("'"$alien"'")); }'
	[ $? != 0 ] && grep -q "no register $alien: $registers" $said
	result "trace: another processor's register is refused" $?
	restored
	result "its text is restored after scripts" $?
	stop
	result "it has noticed nothing of scripts" $?
}
[ -n "$few" ] || scripts

# ---- a program of the processor's other instruction set

if [ -n "$other" ]; then
	program=$other
	start busy sleeps blocked keeps
	kp load ./hotspots.so probes=target_work,malloc,getppid,usleep -p $pid
	result "load into one of the other instruction set" $?
	sleep 1
	kp list -p $pid && grep -q "target_work+0x0" $said
	result "its probes" $?
	kp unload -a -p $pid && grep -q "text restored at 4 of 4" $said
	result "unload from it" $?
	restored
	result "its text is restored" $?
	traced 'uprobe:target_work { @[ustack] = count(); } uretprobe:target_work { @r[retval % 3] = count(); } interval:s:2 { exit(); }' &&
		grep -q '^@r\[1\]: [0-9]' $said && stack 'target_work+0$'
	result "trace: one of the other instruction set" $?
	stop
	result "it has noticed nothing" $?
	program=target
fi

# ---- refusals

start
kp load ./hotspots.so probes=no_such_function -p $pid
[ $? != 0 ] && grep -q "no_such_function" $said
result "a place that is not there is refused" $?
stop
result "it has noticed nothing of that" $?

# ---- memory

# Where neither debug registers nor pages tell.
no_memory() {
	start busy
	traced 'watchpoint:works:'$size':w { @ = count(); }'
	[ $? != 0 ] && grep -q "$why_reads" $said
	result "to watch memory is refused" $?
	restored
	result "its text is as it was after that" $?
	stop
	result "it has noticed nothing of that refusal" $?
}

memory() {
	start busy
	traced 'watchpoint:works:'$size':w { @[ustack] = count(); } interval:s:2 { exit(); }' &&
		stack 'target_work+'
	result "trace: who writes to a variable" $?
	# It tells until it is told to end; on a busy host it begins late.
	for seconds in 2 8 30; do
		timeout -s INT $seconds ./kprobes watch works -p $pid >$said 2>&1
		grep -q '^works 0x.*: [0-9]* -> [0-9]* ' $said && break
	done
	grep -q '^works 0x.*: [0-9]* -> [0-9]* ' $said && grep -q '^ *target_work+' $said
	result "watch: how a variable changes" $?
	if [ $reads = yes ]; then
		traced 'watchpoint:works:'$size':rw { @ = count(); } interval:s:2 { exit(); }' &&
			grep -q '^@: [0-9]' $said
		result "trace: who reads a variable, too" $?
	else
		traced 'watchpoint:works:'$size':rw { @ = count(); }'
		[ $? != 0 ] && grep -q "$why_reads" $said
		result "to watch reads is refused" $?
	fi
	restored
	result "its text is restored after that" $?
	stop
	result "it has noticed nothing of that either" $?
}
if [ $watches = no ]; then no_memory; elif [ -z "$few" ]; then memory; fi

# ---- scripts for the kernel

[ ! -e kprobes.ko ] || sh ./kernel.sh || failed=1

# ---- tests of processes that qemu-user does not serve

# run_test NAME [WORDS...]
run_test() {
	began=$(cut -d. -f1 /proc/uptime)
	T_FEW=$part KPROBES_STRICT=1 KPROBES_LOG=stderr timeout 600 ./"$@" >$said 2>&1
	status=$?
	sed -n "s/^\(ok\|not ok\) /\1 $arch $*: /p" $said
	[ $status = 0 ] && ! grep -q '^not ok' $said
	result "$*" $?
	echo "# $*: $(($(cut -d. -f1 /proc/uptime) - began)) s"
}

# A test's words are joined by commas.
for name in $tests; do
	run_test $(echo "$name" | tr , ' ')
done
[ $watching = no ] || run_test conformance watching
exit $failed
