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

. "$root/tools/vm/modules.sh"
built_for
work=$build/bench/kernel/$release
mkdir -p "$work/own" "$work/builtin"
exec 9>"$work/lock"
flock 9

# Trace programs are x86's alone so far.
build_engine $([ $machine != x86 ] || echo kernel-trace) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# build_module NAME OWN
build_module() {
	ln -sf "$root"/bench/kernel/{Kbuild,$machine/machine.h} "$work/$1/"
	ln -sf "$root/bench/kernel/kp_bench.c" "$work/$1/kp_bench_$1.c"
	kbuild "$work/$1" MODULE="kp_bench_$1" OWN="$2" >>"$work/log" 2>&1 ||
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
