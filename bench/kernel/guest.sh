# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In the VM: every figure on a line of its own.  WHAT is hits, time or batch.
. ./bench.conf
case $(uname -r) in *kp-*) builtin= ;; *) builtin=y ;; esac
# MIPS has none.
case $(uname -m) in mips*) jumps= ;; *) jumps=y ;; esac

# set_optimization FILE VALUE
set_optimization() { [ ! -e "$1" ] || echo "$2" >"$1"; }

# measure MODULE LABEL
measure() { insmod "$1.ko" what=$WHAT nr=$NR label="$2" $BENCH_ARGS && rmmod "$1"; }

if [ -n "$builtin" ] && [ -z "$OWN_ONLY" ]; then
	# ours would come first in line: measured without it
	knob=/proc/sys/debug/kprobes-optimization
	set_optimization $knob 0
	measure kp_bench_builtin builtin/breakpoint/
	if [ "$WHAT" != batch ] && [ "$jumps" ]; then
		set_optimization $knob 1
		BENCH_ARGS=settle_ms=3000 measure kp_bench_builtin builtin/optimized/
	fi
fi
insmod kprobes.ko || exit 1
BENCH_ARGS="jumps=0 settle_ms=300" measure kp_bench_own own/breakpoint/
[ ! "$jumps" ] || BENCH_ARGS="jumps=1 settle_ms=300" measure kp_bench_own own/optimized/
if [ "$WHAT" = hits ] && [ -e trace ]; then
	insmod kprobes_trace.ko || exit 1
	insmod kp_bench_own.ko what=trace label=own/optimized/ || exit 1
	./trace /sys/module/kp_bench_own/parameters/row || exit 1
	rmmod kp_bench_own
	rmmod kprobes_trace
fi
rmmod kprobes
dmesg | sed -n 's/.*KP-BENCH //p'
