# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Hits in interrupts at the level of what they interrupted, where a hit begins.
engine_start
insmod kp_level.ko || echo "not ok insmod kp_level.ko"
rmmod kp_level
engine_stop
