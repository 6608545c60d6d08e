#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# backtrace.sh - gdb's bt inside nested return-probed calls shows the callers.
# Usage: backtrace.sh, beside the program nested in the build folder $B.
set -u

name="K-RET-44 gdb's bt through five hooked frames"
skip() { echo "skip $name: $*"; exit 0; }

command -v gdb >/dev/null || skip "there is no gdb"
"${B:-build}/tests/live/nested" wait >/dev/null &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
sleep 1
out=$(timeout 120 gdb -nx -batch -ex bt -p $pid 2>&1 </dev/null)
case $out in
*"Operation not permitted"*) skip "ptrace is forbidden" ;;
esac
calls=$(printf '%s\n' "$out" | tr '\n' ' ' |
	grep -o ' in [a-z_]* (' | sed 's/ in \(.*\) (/\1/' | grep -v stubs |
	sed -n '/^innermost$/,$p' | tr '\n' ' ')
case $calls in
"innermost middle middle middle outer main "*) echo "ok $name" ;;
*)
	echo "not ok $name: $calls"
	printf '%s\n' "$out" | tail -30
	exit 1 ;;
esac
