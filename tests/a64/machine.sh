#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns one run of an arm64 program with libkprobes.so in a machine with Debian's arm64
# kernel: there text is written and fetched as on a processor, but for what QEMU does not
# show, an instruction cache that is behind and weak ordering.  One thread for all CPUs,
# for the reason in tests/cli/arm64/run: with more, one of these runs has not come to its end.
#
#     machine.sh BUILD PROGRAM [ARGUMENT...]

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
libc=/usr/aarch64-linux-gnu/lib
build=$1 program=$2
shift 2
script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat >"$script" <<END
mkdir -p /lib
ln -s /test/ld-linux-aarch64.so.1 /lib/
LD_LIBRARY_PATH=/test ./program $*
END
"$root/tools/vm/run" --kernel stock-arm64 --thread single --script "$script" --timeout 1200 --files \
	/test/program="$program" /test/libkprobes.so="$build/libkprobes.so" \
	/test/libc.so.6=$libc/libc.so.6 \
	/test/ld-linux-aarch64.so.1=$libc/ld-linux-aarch64.so.1
