# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Watch probes by code and by debug registers come and go while threads write: every
# write is accounted for.
engine_start
. ./torture.conf
for seed in $SEEDS; do
	insmod kp_watches.ko seed=$seed seconds=$SECONDS_EACH
	rmmod kp_watches
	expect "watches with seed $seed ran to its end" sh -c "dmesg | grep -q 'watches: seed $seed:'"
done
dmesg | sed -n 's/.*watches: # /# /p; s/.*watches: seed/# seed/p'
engine_stop
