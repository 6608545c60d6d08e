#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns runs of programs with libkprobes.so in a machine with Debian's kernel for another
# processor: there text is written and fetched as on a processor, but for what QEMU does not
# show, an instruction cache that is behind and weak ordering.  One thread for all CPUs,
# for the reason in tests/cli/machine/run: with more, one of these runs has not come to its end.
#
#     machine.sh arm64|riscv64|armhf|mips64el|mipsel BUILD "PROGRAM [ARGUMENT...]"...
#
# What else the programs want beside them, FILES says: NAME=FILE...; SETTINGS, what of their
# environment; CPU, of which processor; KERNEL, another one than Debian's.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
arch=$1 build=$2
# Where a program's linker is; and CPUs, of which Debian's kernel for a Malta board has one.
lib=lib cpus=2 options=()
shift 2
case $arch in
arm64) libc=/usr/aarch64-linux-gnu/lib linker=ld-linux-aarch64.so.1 ;;
# Where each place that an arm kernel patches waits for all CPUs, one thread for two takes minutes.
armhf) libc=/usr/arm-linux-gnueabihf/lib linker=ld-linux-armhf.so.3 cpus=1
	# Of each bkpt, Thumb's breakpoint, this kernel's log has two lines.
	options=(--append loglevel=0 --allow '8<--- cut here' --allow 'Unhandled prefetch abort: breakpoint') ;;
mips64el) libc=/usr/mips64el-linux-gnuabi64/lib linker=ld.so.1 lib=lib64 cpus=1 ;;
mipsel) libc=/usr/mipsel-linux-gnu/lib linker=ld.so.1 cpus=1 ;;
riscv64) libc=/usr/riscv64-linux-gnu/lib linker=ld-linux-riscv64-lp64d.so.1 ;;
esac
script=$(mktemp)
trap 'rm -f "$script"' EXIT
files=()
cat >"$script" <<END
mkdir -p /$lib
ln -s /test/$linker /$lib/
export LD_LIBRARY_PATH=/test ${SETTINGS-}
status=0
END
for command; do
	program=${command%% *}
	files+=("/test/${program##*/}=$program")
	echo "./${command##*/} || status=1" >>"$script"
done
echo 'exit $status' >>"$script"
for file in ${FILES-}; do
	files+=("/test/$file")
done
"$root/tools/vm/run" --kernel "${KERNEL:-stock-$arch}" --thread single --smp $cpus --script "$script" --timeout 1200 \
	${CPU:+--cpu "$CPU"} "${options[@]}" --files \
	/test/libkprobes.so="$build/libkprobes.so" \
	/test/libc.so.6=$libc/libc.so.6 /test/$linker="$(dirname "$libc")/$lib/$linker" "${files[@]}"
