#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A program that the command has put the image into: its forked children are processes of their
# own, and threads of the engine's watch its memory.  Prints "ok NAME" or "not ok NAME".
#     B=build forks.sh PROGRAM...
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${B:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkfifo "$work/go"
failed=0

# traced PROGRAM SCRIPT: what the script says of all that the program does.
traced() {
	"$1" <"$work/go" >"$work/done" &
	local pid=$! tries trace
	exec 3>"$work/go"
	"$build/kprobes" trace -p $pid "uprobe:ready { printf(\"ready\\n\"); } $2" >"$work/said" 2>&1 &
	trace=$!
	for tries in $(seq 200); do
		grep -q '^ready' "$work/said" && break
		sleep 0.05
	done
	echo >&3
	for tries in $(seq 200); do
		grep -q done "$work/done" && break
		sleep 0.05
	done
	kill -INT $trace
	wait $trace
	echo >&3
	exec 3>&-
	wait $pid
}

expect() {
	if [ "$2" = "$3" ]; then
		echo "ok $1"
		return
	fi
	failed=1
	echo "not ok $1: $2, not $3"
	sed 's/^/# /' "$work/said"
}

for program; do
	name=${program##*/}
	traced "$program" 'uprobe:work { @[pid] = count(); @tids[pid, tid] = count(); }'
	expect "$name: a forked child's hits are its own" \
		"$(sed -n 's/^@\[.*\]: //p' "$work/said" | sort -n | uniq -c | tr -s ' \n' ' ')" " 10 5 1 200 "
	traced "$program" 'uprobe:write_to /!@on/ { @on = 1; watch(arg0, 8); }
		watchpoint:* { @writes = count(); }'
	expect "$name: what a program names is watched" "$(sed -n 's/^@writes: //p' "$work/said")" 100
done
exit $failed
