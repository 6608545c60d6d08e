/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usdt_regs.h - how MIPS' registers are called in operands (offsets/usdt_operand.c).
 *
 * Owns: "$4", "$sp", "$fp".
 */
#ifndef KP_USDT_REGS_H
#define KP_USDT_REGS_H

#include "own.h"

#include <stdlib.h>
#include <string.h>

/* A register's name of len bytes; -1: it is none. */
static inline int usdt_reg_named(const char *text, size_t len)
{
	static const struct {
		const char *name;
		int reg;
	} names[] = { { "$sp", REG_SP }, { "$fp", REG_S8 }, { "$gp", REG_GP }, { "$ra", REG_RA } };
	unsigned long number;
	char *end;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !memcmp(names[i].name, text, len))
			return names[i].reg;
	if (len < 2 || text[0] != '$' || text[1] < '0' || text[1] > '9')
		return -1;
	number = strtoul(text + 1, &end, 10);
	return end == text + len && number <= 31 ? KT_REGS_OF((int)number) : -1;
}

#endif
