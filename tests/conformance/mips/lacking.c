/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lacking.c - topics of the suite that are not for MIPS.
 *
 * Owns: saying so.
 */
#include "harness.h"

void t_intactness(void)
{
	t_print("# intact.c has no MIPS yet: K-HIT-33, K-HIT-34 of all registers");
}

void t_optimized(void)
{
	t_print("# a probe stays on its breakpoint on MIPS: K-OPT");
}
