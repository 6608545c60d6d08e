/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mix.h - the functions that kp_mix.c calls, on arm.
 *
 * Owns: their instructions, and where they keep their arguments and their frame.
 */
#ifndef KP_TEST_MIX_H
#define KP_TEST_MIX_H

#define MIX_CODE \
	".globl mix_recurse\n.type mix_recurse, %function\n" \
	"mix_recurse:\n" \
	"	push {fp, lr}\n" \
	"	mov fp, sp\n" \
	"	mov r2, #0\n" \
	"	cmp r0, #0\n" \
	"	beq 1f\n" \
	"	sub r0, r0, #1\n" \
	"	bl mix_recurse\n" \
	"	add r2, r0, #1\n" \
	"1:	mov r0, r2\n" \
	"	pop {fp, pc}\n" \
	".size mix_recurse, . - mix_recurse\n" \
	".globl mix_deep\n.type mix_deep, %function\n" \
	"mix_deep:\n" \
	"	push {r3, lr}\n" \
	"	mov r2, #0\n" \
	"	cmp r0, #0\n" \
	"	beq mix_leaf\n" \
	"	sub r0, r0, #1\n" \
	"	bl mix_deep\n" \
	"	add r2, r0, #1\n" \
	"	b 1f\n" \
	"mix_leaf:\n" \
	"	nop\n" \
	"1:	mov r0, r2\n" \
	"	pop {r3, pc}\n" \
	".size mix_deep, . - mix_deep\n" \
	".globl mix_jumps\n.type mix_jumps, %function\n" \
	"mix_jumps:\n" \
	"	push {fp, lr}\n" \
	"	mov fp, sp\n" \
	"	bl mix_deep\n" \
	"mix_landed:\n" \
	"	pop {fp, pc}\n" \
	".size mix_jumps, . - mix_jumps\n"

#define MIX_DEPTH(regs) ((unsigned long)(regs)->ARM_r0)
#define MIX_MODE(regs) ((unsigned long)(regs)->ARM_r1)
#define MIX_SP(regs) ((regs)->ARM_sp)
#define MIX_FRAME(regs) ((regs)->ARM_fp)
#define MIX_RESULT(regs) ((regs)->ARM_r0)
#define MIX_RETURN_LEN 0	/* of a return address on the stack */

#endif
