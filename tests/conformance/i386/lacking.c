/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lacking.c - topics of the suite that i386 has nothing of yet.
 *
 * Owns: saying so.
 */
#include "harness.h"

void t_intactness(void)
{
	t_print("# intact.c has no i386 yet: K-HIT-33, K-HIT-34 of all registers");
}

void t_optimized(void)
{
	struct kprobe p = { .symbol_name = "t_wide", .pre_handler = t_pre };

	t_print("# there are no jumps on i386 yet");
	EXPECT_EQ("K-OPT-40", "nor does one come", t_register(&p), 0);
	EXPECT("K-OPT-40", "a breakpoint stays, and says why",
	       t_raw(t_wide) == T_BP && p.reason && t_wide_intact());
	EXPECT_EQ("K-OPT-40", "and serves", t_wide(2), 7);
	unregister_kprobe(&p);
}
