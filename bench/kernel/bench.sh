#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns one boot of a test kernel that measures.
#
#     bench.sh [--time | --batch NR] [--own] KERNEL [-- VM-OPTIONS...]
#
# Prints instructions a hit above a bare call, by QEMU's instruction counter, of
# our engine and, on a kernel that has one (stock), of its own Kprobes in the
# same boot.  --time: nanoseconds instead, with two CPUs and QEMU's usual clock.
# --batch NR: microseconds for a batch of NR probes instead, with two
# CPUs and QEMU's usual clock.  --own: ours only.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${B:-$root/build}
case $build in /*) ;; *) build=$root/$build ;; esac
what=hits nr=1000 own_only= options=(--icount)
while [ "${1#--}" != "$1" ]; do
	case $1 in
	--time) what=time options=() ;;
	--batch) what=batch nr=$2 options=(); shift ;;
	--own) own_only=y ;;
	*) echo "bench.sh: unknown option $1" >&2; exit 2 ;;
	esac
	shift
done
kernel=$1
shift
[ $# = 0 ] || shift

# What another processor's kernel is built with; trace programs are x86's alone so far.
machine=x86 cross=
case $kernel in
*-arm64)
	machine=arm64 cross="ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-"
	build=$build/$machine
	;;
esac

directory=$("$root/tools/vm/kernel.sh" "$kernel")
release=$(cat "$directory/release")
work=$build/bench/kernel/$release
mkdir -p "$work/own" "$work/builtin"
exec 9>"$work/lock"
flock 9

make -C "$root" -s B="$build" $cross module $([ $machine != x86 ] || echo kernel-trace) KDIR="$directory/kdir" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# build_module NAME OWN
build_module() {
	ln -sf "$root"/bench/kernel/{Kbuild,$machine/machine.h} "$work/$1/"
	ln -sf "$root/bench/kernel/kp_bench.c" "$work/$1/kp_bench_$1.c"
	make -s -C "$directory/kdir" M="$work/$1" MODULE="kp_bench_$1" OWN="$2" KPROBES="$root" $cross \
		KPROBES_SYMVERS="$build/module/$release/Module.symvers" \
		$(command -v pahole >/dev/null || echo CONFIG_DEBUG_INFO_BTF_MODULES=) modules >>"$work/log" 2>&1 ||
		{ cat "$work/log"; exit 1; }
}
files=(/test/kprobes.ko="$build/module/$release/kprobes.ko")
[ $machine != x86 ] || files+=(/test/kprobes_trace.ko="$build/module/$release/kprobes_trace.ko"
	/test/trace="$build/bench/trace")
build_module own y
files+=(/test/kp_bench_own.ko="$work/own/kp_bench_own.ko")
if grep -q '^CONFIG_KPROBES=y' "$directory/config"; then
	build_module builtin ""
	files+=(/test/kp_bench_builtin.ko="$work/builtin/kp_bench_builtin.ko")
fi
printf 'WHAT=%s\nNR=%s\nOWN_ONLY=%s\n' "$what" "$nr" "$own_only" >"$work/bench.conf"
"$root/tools/vm/run" --kernel "$kernel" --script "$root/bench/kernel/guest.sh" \
	--files /test/bench.conf="$work/bench.conf" "${files[@]}" \
	--log "$work/console.log" --timeout 1200 "${options[@]}" "$@"
