/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usdt_regs.h - how riscv64's registers are called in operands (offsets/usdt_operand.c).
 *
 * Owns: "a0", "sp".
 */
#ifndef KP_USDT_REGS_H
#define KP_USDT_REGS_H

#include "own.h"

#include <string.h>

/* A register's name of len bytes; -1: it is none. */
static inline int usdt_reg_named(const char *text, size_t len)
{
	static const char *const names[] = KT_REG_NAMES;
	int i;

	for (i = REG_RA; i <= REG_T6; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], text, len))
			return i;
	return -1;
}

#endif
