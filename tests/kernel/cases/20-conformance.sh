# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The portable conformance suite.
engine_start
insmod kp_conformance.ko || echo "not ok insmod kp_conformance.ko"
expect "the suite came to its end" sh -c 'dmesg | grep -q "KP-TEST done"'
expect "K-RET-46 the documented line" sh -c \
	"dmesg | grep -q 'kretprobe BUG!: Processing kretprobe 0x[0-9a-f]* @ 0x[0-9a-f]*'"
rmmod kp_conformance
engine_stop
