# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The portable conformance suite, on breakpoints only.
engine_start
insmod kp_conformance.ko optimize=0 || echo "not ok insmod kp_conformance.ko"
expect "the suite came to its end" sh -c 'dmesg | grep -q "KP-TEST done"'
rmmod kp_conformance
engine_stop
