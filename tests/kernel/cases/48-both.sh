# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes trace asks a process and the kernel under it, in one script.
export KPROBES_KO=/test/kprobes.ko
work=$PWD/with/tests/trace/work
kprobes=$PWD/with/kprobes

ask="printf 'plain 5\nslow 3\n' | $kprobes trace 'uprobe:work:plain { @p = count(); printf(\"process %d\n\", arg0); } kprobe:do_nanosleep,kprobe:hrtimer_nanosleep /comm == \"work\"/ { @k = count(); printf(\"kernel\n\"); } uretprobe:work:slow { @s = count(); }' -- $work"
if grep -q '^Seccomp' /proc/self/status; then
	expect "a script for both" status 0 sh -c "$ask"
	expect "... has the process's hits" says "^@p: 5$"
	expect "... and the kernel's" says "^@k: [3-9]$"
	expect "... and the returns" says "^@s: 3$"
	expect "... in order of time" sh -c "grep -E '^(process|kernel)' /tmp/said | uniq | head -2 | tr '\n' ' ' | grep -q '^process 0 process 1'"
	expect "every event is there" test "$(grep -c '^process ' /tmp/said)" = 5
	expect "a timeline of both" status 0 sh -c "printf 'plain 5\nslow 3\n' | \
		$kprobes trace --perfetto /tmp/timeline work:slow k:hrtimer_nanosleep -- $work"
	for name in slow hrtimer_nanosleep process kernel retval losses; do
		expect "... has $name" grep -q "$name" /tmp/timeline
	done
	expect "what is on top, of both" status 0 sh -c "printf 'slow 7\n' | \
		$kprobes top --latency -d 60 work:slow k:hrtimer_nanosleep -- $work"
	expect "... has the process's function" says "^ +[0-9]+ +7 +[0-9.]+ [mu]?s +slow$"
	expect "... and the kernel's" says "^ +[0-9]+ +7 +[0-9.]+ [mu]?s +hrtimer_nanosleep$"
	mkfifo /tmp/one /tmp/two
	$work </tmp/one >/dev/null & one=$!
	$work </tmp/two >/dev/null & two=$!
	exec 7>/tmp/one 8>/tmp/two
	$kprobes trace -v "uprobe:work:slow { @p[pid] = count(); } \
		kprobe:hrtimer_nanosleep /pid == $one || pid == $two/ { @k[pid] = count(); }" \
		-p $one,$two >/tmp/pair 2>&1 7>&- 8>&- & trace=$!
	for _ in $(seq 600); do
		grep -q "probes are set" /tmp/pair && break
		sleep 0.1
	done
	echo "slow 3" >&7
	echo "slow 4" >&8
	exec 7>&- 8>&-
	wait $trace
	expect "two processes and the kernel in one script" sh -c "grep -qx '@p\[$one\]: 3' /tmp/pair && \
		grep -qx '@p\[$two\]: 4' /tmp/pair || { cat /tmp/pair; false; }"
	expect "... and what the kernel does for each" sh -c "grep -qx '@k\[$one\]: 3' /tmp/pair && \
		grep -qx '@k\[$two\]: 4' /tmp/pair || { cat /tmp/pair; false; }"
	expect "no probe of the kernel's is left" test -z "$(cat $control/list)"
else
	expect "without seccomp there is no jail, so no process is read" status 1 sh -c "$ask"
	expect "... which it says" says "seccomp"
fi
rmmod kprobes_trace
rmmod kprobes
