# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probes at random places of a busy kernel.  $TORTURE: seconds a round.
engine_start
busy() {
	while :; do
		cat /proc/stat /proc/meminfo /proc/self/maps >/dev/null
		(/bin/true) | cat >/dev/null
		dd if=/dev/zero of=/dev/null bs=64k count=20 2>/dev/null
		# An idle moment: a busy virtual CPU answers interrupts late.
		sleep 0.02
	done
}
busy & one=$!
. ./torture.conf
renice -n -20 -p $(exec sh -c 'echo $PPID') >/dev/null
for seed in $SEEDS; do
	insmod kp_torture.ko $etext seed=$seed seconds=$SECONDS_EACH $TORTURE_ARGS
	rmmod kp_torture
	expect "torture with seed $seed ran to its end" sh -c "dmesg | grep -q 'torture: seed $seed:'"
done
kill $one
wait $one 2>/dev/null
dmesg | sed -n 's/.*torture: seed/# seed/p; s/.*torture: # /#   /p'
engine_stop
