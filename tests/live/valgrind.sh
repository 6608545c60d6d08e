#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# valgrind.sh - Memcheck finds nothing in a probed process.
# Usage: valgrind.sh, beside the program families in the build folder $B.
#
# --smc-check=all: Valgrind keeps translated code; it must see breakpoints that
# come into it, and jumps.
set -u

name="valgrind: return probes on libc's string, stdio and malloc families"
command -v valgrind >/dev/null || { echo "skip $name: there is no valgrind"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

run() {
	timeout 120 valgrind -q --smc-check=all --error-exitcode=9 \
		--suppressions=tests/live/valgrind.supp \
		"${B:-build}/tests/live/families" "$1" \
		>"$dir/$1" 2>"$dir/$1.err"
}
run plain || { echo "skip $name: it has errors without probes"; exit 0; }
if run probed && cmp -s "$dir/plain" "$dir/probed"; then
	echo "ok $name: $(sed -n 's/^# \(.*jumps\)$/\1/p' "$dir/probed.err"), no error, the same output"
else
	echo "not ok $name"
	tail -30 "$dir/probed.err"
	exit 1
fi
