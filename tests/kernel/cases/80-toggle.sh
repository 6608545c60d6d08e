# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probes are switched in hot code.  $TOGGLE_ARGS: how often.
. ./torture.conf
engine_start
./user_toggle & one=$!
./user_toggle & two=$!
insmod kp_toggle.ko $etext $TOGGLE_ARGS || echo "not ok insmod kp_toggle.ko $etext"
expect "the toggles ran to their end" sh -c "dmesg | grep -q 'toggle: .* lazy switches'"
expect "signals reached the first process" wait $one
expect "and the second" wait $two
rmmod kp_toggle
dmesg | sed -n 's/.*toggle: /# /p'
engine_stop
