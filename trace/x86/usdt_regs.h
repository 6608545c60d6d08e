/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usdt_regs.h - how x86-64's registers are called in operands (shared/x86/usdt_operand.c).
 */
#ifndef KP_USDT_REGS_H
#define KP_USDT_REGS_H

#include "kt_regs.h"

static const struct {
	const char *names[4];		/* of 8, 4, 2 and 1 bytes */
	enum names_reg reg;
} regs[] = {
	{ { "rax", "eax", "ax", "al" }, REG_AX },
	{ { "rbx", "ebx", "bx", "bl" }, REG_BX },
	{ { "rcx", "ecx", "cx", "cl" }, REG_CX },
	{ { "rdx", "edx", "dx", "dl" }, REG_DX },
	{ { "rsi", "esi", "si", "sil" }, REG_SI },
	{ { "rdi", "edi", "di", "dil" }, REG_DI },
	{ { "rbp", "ebp", "bp", "bpl" }, REG_BP },
	{ { "rsp", "esp", "sp", "spl" }, REG_SP },
	{ { "r8", "r8d", "r8w", "r8b" }, REG_R8 },
	{ { "r9", "r9d", "r9w", "r9b" }, REG_R9 },
	{ { "r10", "r10d", "r10w", "r10b" }, REG_R10 },
	{ { "r11", "r11d", "r11w", "r11b" }, REG_R11 },
	{ { "r12", "r12d", "r12w", "r12b" }, REG_R12 },
	{ { "r13", "r13d", "r13w", "r13b" }, REG_R13 },
	{ { "r14", "r14d", "r14w", "r14b" }, REG_R14 },
	{ { "r15", "r15d", "r15w", "r15b" }, REG_R15 },
	{ { "rip", "eip", "", "" }, REG_IP },
};

#endif
