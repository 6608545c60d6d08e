/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usdt_regs.h - how arm's registers are called in operands (shared/arm/usdt_operand.c).
 *
 * Owns: "r0", "sp".
 */
#ifndef KP_USDT_REGS_H
#define KP_USDT_REGS_H

#include "own.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define USDT_HASH 1			/* a number has one before it */

/* "r4", "sp", and what follows it; -1: it is none. */
static inline int usdt_reg_at(const char **text)
{
	static const char *const names[] = KT_REG_NAMES;
	size_t len = 0;
	int i;

	while (isalnum((unsigned char)(*text)[len]))
		len++;
	for (i = 0; i < REG_PC; i++) {
		if (strlen(names[i]) != len || memcmp(names[i], *text, len))
			continue;
		*text += len;
		return i;
	}
	return -1;
}

#endif
