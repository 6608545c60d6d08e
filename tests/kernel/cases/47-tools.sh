# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bpftrace's tools, unmodified, say what the real one recorded of the same work.
export KPROBES_KO=/test/kprobes.ko
[ -e /sys/kernel/btf/vmlinux ] || export KPROBES_VMLINUX=/test/tool_types.o
. /test/recorded/tools.sh

# What keeps a process's files harmless is needed for its probes.
libraries="bashreadline gethostlatency ssllatency sslsnoop threadsnoop"
grep -q ^Seccomp /proc/self/status && libraries=
# Tracepoints are there where the kernel has them; types that no module's header has,
# where it shows its own.
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
events=pidpersec
[ -d /sys/kernel/tracing/events/sched ] && events=
[ -e /sys/kernel/btf/vmlinux ] || events="$events runqlen"

trace_it() {
	script=$1
	shift
	timeout 300 kprobes trace "$script" -- "$@"
}
# says_the_same NAME
says_the_same() {
	tool_run "$1" trace_it "tools/$1.bt" 2>/tmp/err | tool_plain "$1" >/tmp/got
	diff "recorded/$1.out" /tmp/got && return
	cat /tmp/err
	return 1
}
for recorded in recorded/*.out; do
	name=$(basename "$recorded" .out)
	case " $libraries $events " in
	*" $name "*) continue ;;
	esac
	expect "$name.bt" says_the_same "$name"
done
# What this kernel has not, or nobody can do, is said.
refuses() { ! kprobes trace "tools/$1.bt" >/tmp/said 2>&1 && grep -q "$2" /tmp/said; }
expect "mdflush.bt: no such function" refuses mdflush "md_flush_request: no such function"
if [ -d /sys/kernel/tracing/events/sched ]; then
	# Nothing of theirs happens here: they begin, and end.
	begins() {
		kprobes trace "tools/$1.bt" >/tmp/said 2>&1 &
		for i in $(seq 600); do grep -q "^Tracing" /tmp/said && break; usleep 200000; done
		kill -INT $!
		wait $! && grep -q "^Tracing" /tmp/said
	}
	for name in bitesize runqlat tcpdrop writeback; do expect "$name.bt begins" begins $name; done
	umount /sys/kernel/tracing
else
	expect "runqlat.bt: a tracepoint" refuses runqlat "does not show its tracepoints"
fi
rmmod kprobes_trace
rmmod kprobes
