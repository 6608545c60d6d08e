/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mix.h - the functions that kp_mix.c calls, on MIPS.
 *
 * Owns: their instructions, and where they keep their arguments and their frame.
 */
#ifndef KP_TEST_MIX_H
#define KP_TEST_MIX_H

#include "targets.h"

#define MIX_CODE \
	".set push\n.set noreorder\n" \
	".globl mix_recurse\n.type mix_recurse, @function\n" \
	"mix_recurse:\n" \
	"	" T_ADDI " $29, $29, -32\n" \
	"	" T_STORE " $30, 16($29)\n" \
	"	" T_STORE " $31, 24($29)\n" \
	"	move $30, $29\n" \
	"	li $3, 0\n" \
	"	beqz $4, 1f\n" \
	"	nop\n" \
	"	bal mix_recurse\n" \
	"	" T_ADDI " $4, $4, -1\n" \
	"	" T_ADDI " $3, $2, 1\n" \
	"1:	move $2, $3\n" \
	"	" T_LOAD " $30, 16($29)\n" \
	"	" T_LOAD " $31, 24($29)\n" \
	"	jr $31\n" \
	"	" T_ADDI " $29, $29, 32\n" \
	".size mix_recurse, . - mix_recurse\n" \
	".globl mix_deep\n.type mix_deep, @function\n" \
	"mix_deep:\n" \
	"	" T_ADDI " $29, $29, -32\n" \
	"	" T_STORE " $31, 24($29)\n" \
	"	li $3, 0\n" \
	"	beqz $4, mix_leaf\n" \
	"	nop\n" \
	"	bal mix_deep\n" \
	"	" T_ADDI " $4, $4, -1\n" \
	"	b 1f\n" \
	"	" T_ADDI " $3, $2, 1\n" \
	"mix_leaf:\n" \
	"	nop\n" \
	"1:	move $2, $3\n" \
	"	" T_LOAD " $31, 24($29)\n" \
	"	jr $31\n" \
	"	" T_ADDI " $29, $29, 32\n" \
	".size mix_deep, . - mix_deep\n" \
	".globl mix_jumps\n.type mix_jumps, @function\n" \
	"mix_jumps:\n" \
	"	" T_ADDI " $29, $29, -32\n" \
	"	" T_STORE " $30, 16($29)\n" \
	"	" T_STORE " $31, 24($29)\n" \
	"	move $30, $29\n" \
	"	bal mix_deep\n" \
	"	nop\n" \
	"mix_landed:\n" \
	"	" T_LOAD " $30, 16($29)\n" \
	"	" T_LOAD " $31, 24($29)\n" \
	"	jr $31\n" \
	"	" T_ADDI " $29, $29, 32\n" \
	".size mix_jumps, . - mix_jumps\n" \
	".set pop\n"

#define MIX_DEPTH(r) ((r)->regs[4])
#define MIX_MODE(r) ((r)->regs[5])
#define MIX_FRAME(r) ((r)->regs[30])
#define MIX_RESULT(r) ((r)->regs[2])
#define MIX_SP(r) ((r)->regs[29])
#define MIX_RETURN_LEN 0	/* of a return address on the stack */

#endif
