/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usdt_regs.h - how arm64's registers are called in operands (shared/arm/usdt_operand.c).
 *
 * Owns: "x0", "w0", "sp".
 */
#ifndef KP_USDT_REGS_H
#define KP_USDT_REGS_H

#include "own.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define USDT_HASH 0			/* a number has one before it */

/* "x19", "w19", "sp", and what follows it; -1: it is none. */
static inline int usdt_reg_at(const char **text)
{
	unsigned long number;
	char *end;

	if (!strncmp(*text, "sp", 2) && !isalnum((unsigned char)(*text)[2])) {
		*text += 2;
		return REG_SP;
	}
	if ((**text != 'x' && **text != 'w') || !isdigit((unsigned char)(*text)[1]))
		return -1;
	number = strtoul(*text + 1, &end, 10);
	if (number > REG_X30 || isalnum((unsigned char)*end))
		return -1;
	*text = end;
	return (int)number;
}

#endif
