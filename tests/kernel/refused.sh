#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns what `make module` says of kernels that the module cannot be built for.
#
#     refused.sh BUILD
#
# They are the small kernel's headers, with another configuration.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(realpath "$1")/refused
headers=$("$root/tools/vm/kernel.sh" small)/kdir
unset MAKEFLAGS MFLAGS MAKELEVEL
failed=0

# change FILE SED-SCRIPT
change() {
	sed "$2" "$headers/$1" >"$work/changed"
	mv "$work/changed" "$work/kdir/$1"
}

# refused WORDS TEXT: by make module, which says so in one line.
refused() {
	if make -C "$root" -s module KDIR="$work/kdir" B="$work/build" >"$work/said" 2>&1; then
		echo "not ok refused: $1: the module is built"
		failed=1
	elif [ "$(grep -c "$2" "$work/said")" = 1 ]; then
		echo "ok refused: $1"
	else
		echo "not ok refused: $1"
		tail -n 15 "$work/said" | sed 's/^/# /'
		failed=1
	fi
}

rm -rf "$work"
mkdir -p "$work"
cp -as "$headers" "$work/kdir"

change include/config/auto.conf '/^CONFIG_KALLSYMS/d'
refused "a kernel without a table of names" "this kernel has no table of its names (CONFIG_KALLSYMS=n)"

change include/config/auto.conf '$a CONFIG_TRIM_UNUSED_KSYMS=y'
change Module.symvers '/\tsprint_symbol\t/d'
refused "a kernel without an export that is needed" 'this kernel exports only what its own modules use .*"make exports"'
rm -rf "$work"
exit $failed
