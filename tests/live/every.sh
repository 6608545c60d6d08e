#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# every.sh - every function of a C++ program that throws is probed at once.
# Usage: every.sh, beside thrower and every.so in the build folder $B.
#
# Return probes and kprobes, through jumps and through breakpoints, alone and
# under Valgrind: the output is the program's own, and Memcheck finds nothing.
# For --smc-check=all see valgrind.sh.
set -u

build=$(cd "${B:-build}" && pwd)
thrower=$build/tests/live/thrower
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# probed BREAKPOINTS [COMMAND...]: the thrower, every function probed.
probed() {
	breakpoints=$1
	shift
	timeout 200 env LD_PRELOAD="$build/libkprobes.so" KPROBES_LOG="$dir/log" \
		KPROBES_LOAD="$build/tests/live/every.so breakpoints=$breakpoints program=$thrower" \
		"$@" "$thrower" >"$dir/probed" 2>"$dir/errors"
}

memcheck() {
	valgrind -q --smc-check=all --error-exitcode=9 \
		--suppressions=tests/live/valgrind.supp "$@"
}

check() {
	name="every function of a C++ program that throws, $1"
	status=$2
	said=$(sed -n 's/^every: //p' "$dir/log" | tr '\n' ';')
	case $said in
	*" 0 refused, "*" 0 missed,"*) ;;
	*) status="$status; it says: $said" ;;
	esac
	case $3,$said in
	0,*" refused, 0 of "* | 1,*" refused, "[1-9]*" of "*)
		status="$status; jumps or not? $said" ;;
	esac
	cmp -s "$dir/plain" "$dir/probed" || status="$status; another output"
	if [ "$status" = 0 ]; then
		echo "ok $name: $said the same output"
	else
		echo "not ok $name: status $status"
		grep -v Warning "$dir/errors" | tail -30
		grep -v '^every:' "$dir/log" | tail -10
		failed=1
	fi
	rm -f "$dir/log"
}

"$thrower" >"$dir/plain"
[ "$(wc -l <"$dir/plain")" -gt 60 ] || { echo "not ok thrower prints"; exit 1; }
probed 0; check "through jumps" $? 0
probed 1; check "through breakpoints" $? 1
if ! command -v valgrind >/dev/null; then
	echo "skip every function under Valgrind: there is no valgrind"
elif ! memcheck "$thrower" >/dev/null 2>&1; then
	echo "skip every function under Valgrind: it has errors without probes"
else
	for breakpoints in 0 1; do
		probed $breakpoints valgrind -q --smc-check=all --error-exitcode=9 \
			--suppressions=tests/live/valgrind.supp
		check "under Valgrind, breakpoints=$breakpoints" $? $breakpoints
	done
fi
exit $failed
