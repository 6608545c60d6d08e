/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lacking.c - topics of the suite that are not for arm yet.
 *
 * Owns: saying so.
 */
#include "harness.h"

void t_intactness(void)
{
	t_print("# intact.c has no arm yet: K-HIT-33, K-HIT-34 of all registers");
}
