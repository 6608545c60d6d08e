/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * row.c - the rows of a decoder's map.
 *
 * Owns: showing them to the comparison, as the decoder's tables have them.
 */
#include "isa.h"
#include "insn.h"

#include "opcode_tables.h"

bool oracle_row(size_t i, uint32_t *mask, uint32_t *value)
{
	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	*mask = rows[i].mask;
	*value = rows[i].value;
	return true;
}
