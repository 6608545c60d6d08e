/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * t32.c - the rows of t32.map.
 *
 * Owns: looking one up.
 */
#include "insn.h"

#include "t32_tables.h"

bool kp_arm_t32_row(struct kp_arm_row *to, uint32_t word)
{
	const struct row *row = find_row(word);

	if (row)
		*to = (struct kp_arm_row) { row->class, row->flags };
	return row;
}
