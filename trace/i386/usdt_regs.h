/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usdt_regs.h - how i386's registers are called in operands (shared/x86/usdt_operand.c).
 */
#ifndef KP_USDT_REGS_H
#define KP_USDT_REGS_H

#include "kt_regs.h"

static const struct {
	const char *names[4];		/* of 8, 4, 2 and 1 bytes */
	enum names_reg reg;
} regs[] = {
	{ { "", "eax", "ax", "al" }, REG_AX },
	{ { "", "ebx", "bx", "bl" }, REG_BX },
	{ { "", "ecx", "cx", "cl" }, REG_CX },
	{ { "", "edx", "dx", "dl" }, REG_DX },
	{ { "", "esi", "si", "" }, REG_SI },
	{ { "", "edi", "di", "" }, REG_DI },
	{ { "", "ebp", "bp", "" }, REG_BP },
	{ { "", "esp", "sp", "" }, REG_SP },
	{ { "", "eip", "", "" }, REG_IP },
};

#endif
