#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command and the library as they are built with sanitizers: B names the folder.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$B" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# In the jail no other process can be looked at.
export ASAN_OPTIONS=detect_leaks=0
# expect WORDS STATUS COMMAND...
expect() {
	local words=$1 wanted=$2 got=0
	shift 2
	timeout 120 "$@" >"$work/said" 2>&1 </dev/null || got=$?
	if [ "$got" = "$wanted" ] && ! grep -qE 'Sanitizer|runtime error' "$work/said"; then
		echo "ok sanitized: $words"
	else
		echo "not ok sanitized: $words: status $got"
		tail -n 20 "$work/said" | sed 's/^/# /'
		failed=1
	fi
}
make -s -C "$root/samples" OUT="$work" KPROBES="$root" >/dev/null 2>&1
kprobes=$build/kprobes
plain=$build/tests/fuzz/dwarf5
expect "functions of a file" 0 "$kprobes" funcs '*' -b "$plain"
expect "... in JSON" 0 "$kprobes" funcs '*' -b "$plain" --json
expect "inlined copies" 0 "$kprobes" funcs --inlined twice -b "$plain"
expect "the C library's" 0 "$kprobes" funcs 'str*' -b "$(ldconfig -p | awk '/libc\.so\.6 .*x86-64/ { print $NF; exit }')"
expect "instructions" 0 "$kprobes" dis two_copies -b "$plain" --plan
expect "no file" 3 "$kprobes" funcs x -b "$work/none"
expect "no process" 3 "$kprobes" list -p 4194304
expect "a process" 0 "$kprobes" funcs 'main*' -p $$
expect "a process that is not probed" 3 "$kprobes" list -p $$
# The library, with UBSan's checks as traps; no sanitizer of the command in it.
for probes in opendir readdir,malloc,free,strlen,memcpy; do
	expect "the library: probes at $probes" 0 env KPROBES_LOAD="$work/hotspots.so probes=$probes" \
		LD_PRELOAD="$build/libkprobes.so" ls -lR "$root/docs"
done
expect "the library: return probes" 0 env KPROBES_LOAD="$work/kretprobe_example.so" \
	LD_PRELOAD="$build/libkprobes.so" ls -lR "$root/docs"
exit $failed
