# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Return probes, jprobes and kprobes on calls that return, are left and end with
# their thread: every call is accounted for, and memory is stable.
engine_start
. ./torture.conf
# unreclaimable slab and vmalloc memory, in kB
memory() { awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo; }
numbers=
for seed in $SEEDS; do
	insmod kp_mix.ko seed=$seed seconds=$SECONDS_EACH
	rmmod kp_mix
	expect "mix with seed $seed ran to its end" sh -c "dmesg | grep -q 'mix: seed $seed:'"
	sleep 1
	numbers="$numbers $(memory)"
done
dmesg | sed -n 's/.*mix: # /# /p; s/.*mix: seed/# seed/p'
echo "# slab, vmalloc and percpu memory after each round, kB:$numbers"
set -- $numbers
eval last=\${$#}
expect "K-INV-06 memory is stable: $1 kB, then $last kB" test $last -le $(($1 + 1024))
engine_stop
