# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bpftrace's tools under a fixed work, in a virtual machine, by whoever runs them.
# Files that are expected: /test/tools/*.bt, /test/tool_work, /bin/bash.
echo root:x:0:0:root:/root:/bin/sh >/etc/passwd
printf 'echo tool said\ntrue\n' >/tmp/typed
# What the shell says itself may come between two pieces of a line of the tool's.
echo 'exec >/dev/null' >/tmp/silent

# tool_run NAME RUN...: RUN is given the work that NAME is to see.
tool_run() {
	tool=$1
	shift
	case $tool in
	bashreadline) "$@" /bin/bash --rcfile /tmp/silent -i </tmp/typed ;;
	*) "$@" /test/tool_work "$tool" </dev/null ;;
	esac
}

# Those lines that are ours, and what the tool says of itself.
tool_ours() { grep -E "^(Tracing|Reading|Dump|TIME|PID) |$1"; }

# tool_plain NAME: of its output what is the same each time.
tool_plain() {
	case $1 in
	capable) tool_ours "tool_work .*CAP_(MKNOD|SYS_CHROOT|SYS_ADMIN) " ;;
	dcsnoop | opensnoop | statsnoop) tool_ours "tool_work .*(tool-|/tmp)" ;;
	killsnoop | naptime | setuids | syncsnoop | tcp[acl]* | undump) tool_ours "tool_work" ;;
	syscount) tool_ours "^(Counting|Top)|@syscall\[1(02|10|40)\]|@process\[tool_work\]" ;;
	cpuwalk | runqlen) grep -E "^Sampling|^@|^\[0, 1\)" ;;
	pidpersec) grep -E "^Tracing|PIDs/sec" ;;
	# The engine's own thread is one of the process.
	threadsnoop) grep -v " work$" ;;
	ssllatency) grep -vE "^[[(]" ;;
	tcpretrans) tool_ours "4346" ;;
	vfscount) grep -E "^Tracing|vfs_(mk|rm)dir|vfs_symlink" ;;
	vfsstat) grep -E "^Tracing|vfs_create" ;;
	*) cat ;;
	esac | sed -E '/^Attach(ed|ing) [0-9]|^$/d
		s/^[0-9]{2}:[0-9]{2}:[0-9]{2} /TIME /
		s/[0-9]+ +tool_work/PID tool_work/' | case $1 in
	bashreadline) sed -E 's/^TIME +[0-9]+ +/TIME PID /' ;;
	cpuwalk | runqlen) sed -E 's/^(\[0, 1\)) .*/\1 N/' ;;
	dcsnoop | threadsnoop) sed -E 's/^[0-9]+ +PID/MS PID/' ;;
	execsnoop) sed -E 's/^[0-9]+ +[0-9]+ +/MS PID /' ;;
	gethostlatency) sed -E 's/tool_work +[0-9]+ /tool_work MS /' ;;
	killsnoop) sed -E 's/(tool_work +[0-9]+ +)[0-9]{1,5} /\1PID /' ;;
	loads) sed -E 's/[0-9]+\.[0-9]{3}/N/g' | uniq ;;
	naptime) sed -E 's/^TIME [0-9]+ +[a-z]+ +/TIME PPID PCOMM /' ;;
	pidpersec) sed -E 's/: [0-9]+$/: N/' | uniq ;;
	oomkill) sed -E 's/PID [0-9]+/PID N/g; s/kworker[^"]*/kworker/
		s/[0-9]+ pages/N pages/; s/loadavg: [0-9.]+ .*/loadavg: N/' ;;
	ssllatency) sed -E 's/\[.*\]: count ([0-9]+),.*/[FUNC]: count \1/; s/\[.*\]: $/[FUNC]/' | sort ;;
	sslsnoop) sed -E 's/^[0-9]+ +PID tool_work +[0-9]+ /US TID tool_work US /' ;;
	syscount) sed -E 's/(tool_work\]: ).*/\1N/' ;;
	tcplife) sed -E 's/ [0-9]+$/ MS/' ;;
	tcpretrans) sed -E 's/^TIME +[0-9]+ +/TIME PID /' | uniq ;;
	undump) sed -E 's/(tool_work +)[0-9]+ +/\1PID /' ;;
	vfscount) sort ;;
	*) cat ;;
	esac
}
