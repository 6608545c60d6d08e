/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mix.h - the functions that kp_mix.c calls, on arm64.
 *
 * Owns: their instructions, and where they keep their arguments and their frame.
 */
#ifndef KP_TEST_MIX_H
#define KP_TEST_MIX_H

#define MIX_CODE \
	".globl mix_recurse\n.type mix_recurse, %function\n" \
	"mix_recurse:\n" \
	"	stp x29, x30, [sp, #-16]!\n" \
	"	mov x29, sp\n" \
	"	mov x2, #0\n" \
	"	cbz x0, 1f\n" \
	"	sub x0, x0, #1\n" \
	"	bl mix_recurse\n" \
	"	add x2, x0, #1\n" \
	"1:	mov x0, x2\n" \
	"	ldp x29, x30, [sp], #16\n" \
	"	ret\n" \
	".size mix_recurse, . - mix_recurse\n" \
	".globl mix_deep\n.type mix_deep, %function\n" \
	"mix_deep:\n" \
	"	str x30, [sp, #-16]!\n" \
	"	mov x2, #0\n" \
	"	cbz x0, mix_leaf\n" \
	"	sub x0, x0, #1\n" \
	"	bl mix_deep\n" \
	"	add x2, x0, #1\n" \
	"	b 1f\n" \
	"mix_leaf:\n" \
	"	nop\n" \
	"1:	mov x0, x2\n" \
	"	ldr x30, [sp], #16\n" \
	"	ret\n" \
	".size mix_deep, . - mix_deep\n" \
	".globl mix_jumps\n.type mix_jumps, %function\n" \
	"mix_jumps:\n" \
	"	stp x29, x30, [sp, #-16]!\n" \
	"	mov x29, sp\n" \
	"	bl mix_deep\n" \
	"mix_landed:\n" \
	"	ldp x29, x30, [sp], #16\n" \
	"	ret\n" \
	".size mix_jumps, . - mix_jumps\n"

#define MIX_DEPTH(regs) ((unsigned long)(regs)->regs[0])
#define MIX_MODE(regs) ((unsigned long)(regs)->regs[1])
#define MIX_FRAME(regs) ((regs)->regs[29])
#define MIX_RESULT(regs) ((regs)->regs[0])
#define MIX_RETURN_LEN 0	/* of a return address on the stack */

#endif
