# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# K-HIT-27: breakpoints of user programs are theirs.
expect "K-HIT-27 without the engine" ./user_breakpoint
engine_start
expect "K-HIT-27 with the engine" ./user_breakpoint
engine_stop
