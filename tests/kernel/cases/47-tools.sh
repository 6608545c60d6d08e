# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bpftrace's tools, unmodified, say what the real one recorded of the same work.
export KPROBES_KO=/test/kprobes.ko
[ -e /sys/kernel/btf/vmlinux ] || export KPROBES_VMLINUX=/test/tool_types.o
. /test/recorded/tools.sh

# What keeps a process's files harmless is needed for its probes.
libraries="bashreadline gethostlatency ssllatency sslsnoop threadsnoop"
grep -q ^Seccomp /proc/self/status && libraries=

trace_it() {
	script=$1
	shift
	timeout 60 kprobes trace "$script" -- "$@"
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
	case " $libraries " in
	*" $name "*) continue ;;
	esac
	expect "$name.bt" says_the_same "$name"
done
# What this kernel has not, or nobody can do, is said.
refuses() { ! kprobes trace "tools/$1.bt" >/tmp/said 2>&1 && grep -q "$2" /tmp/said; }
expect "mdflush.bt: no such function" refuses mdflush "md_flush_request: no such function"
expect "runqlat.bt: a tracepoint" refuses runqlat "only those of system calls"
expect "cpuwalk.bt: sampled" refuses cpuwalk "profile probes are not supported"
rmmod kprobes_trace
rmmod kprobes
