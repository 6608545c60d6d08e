#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# sanitized.sh - programs that are built with sanitizers, whose runtimes block
# signals and make system calls their own way: with the library alone, and with
# probes from the start, they do and end as without.
B=${B:-build}
dir=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
lib=$(realpath "$B/libkprobes.so")
failed=0

result() {
	if [ "$2" = "$3" ]; then
		echo "ok sanitized: $1"
	else
		echo "not ok sanitized: $1: $2, alone $3"
		tail -n 5 "$out/text" "$out/errors"
		failed=1
	fi
}

# said and status of a command, as one word
run() {
	timeout 120 "$@" >"$out/text" 2>"$out/errors"
	echo "$?:$(head -c 100 "$out/text")"
}

for kind in address undefined thread; do
	program=$out/$kind
	if ! gcc -g -O1 -fsanitize=$kind "$dir/fixture/sanitized.c" \
		-o "$program" -pthread 2>"$out/errors"; then
		echo "not ok sanitized: $kind: cannot be built: $(head -1 "$out/errors")"
		failed=1
		continue
	fi
	alone=$(run "$program")
	first=$(ldd "$program" | sed -n 's/^[[:space:]]*\(lib[at]san[^ ]*\) .*/\1:/p')
	result "$kind, the library alone" \
		"$(LD_PRELOAD=$first$lib run "$program")" "$alone"
	for how in opendir opendir+4 malloc,free; do
		result "$kind, probes at $how" \
			"$(KPROBES_LOG=$out/log run "$B/kprobes" load "$B/tests/live/hotspots.so" \
				probes=$how -- "$program")" "$alone"
	done
done
exit $failed
