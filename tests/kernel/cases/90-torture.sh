# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probes at random places of a busy kernel.  $TORTURE: seconds a round.
engine_start
busy() {
	while :; do
		cat /proc/stat /proc/meminfo /proc/self/maps >/dev/null
		(/bin/true) | cat >/dev/null
		dd if=/dev/zero of=/dev/null bs=64k count=20 2>/dev/null
	done
}
busy & one=$!
. ./torture.conf
for seed in $SEEDS; do
	nice -n -20 insmod kp_torture.ko seed=$seed seconds=$SECONDS_EACH $TORTURE_ARGS 2>/dev/null
done
kill $one
wait $one 2>/dev/null
dmesg | sed -n 's/.*torture: seed/# seed/p'
engine_stop
