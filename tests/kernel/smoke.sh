#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shows that the VM's machinery works, for the kernels named (default: stock and
# small): a module builds against the kernel, loads, speaks and unloads; the
# script's status arrives; a kernel warning fails a run that otherwise passes.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
vm=$here/../../tools/vm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect STATUS SCRIPT: boots $kernel with the module and compares.
expect() {
	local expected=$1 status=0
	echo "$2" >"$work/script"
	"$vm/run" --kernel "$kernel" --files /test/smoke.ko="$work/$kernel/smoke.ko" \
		--script "$work/script" >"$work/out" 2>&1 || status=$?
	[ "$status" = "$expected" ] || {
		cat "$work/out"
		echo "FAIL $kernel: status $status, not $expected, of: $2"
		exit 1
	}
}

[ $# -gt 0 ] || set -- stock small
for kernel; do
	directory=$("$vm/kernel.sh" "$kernel")
	cp -r "$here/smoke" "$work/$kernel"
	make -s -C "$directory/kdir" M="$work/$kernel" modules

	expect 0 'insmod smoke.ko && dmesg | grep -q "smoke: loaded" && rmmod smoke'
	expect 7 'exit 7'
	expect 123 'insmod smoke.ko warn=1'
	echo "PASS $kernel"
done
