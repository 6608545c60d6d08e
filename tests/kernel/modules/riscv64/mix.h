/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mix.h - the functions that kp_mix.c calls, on riscv64.
 *
 * Owns: their instructions, and where they keep their arguments and their frame.
 */
#ifndef KP_TEST_MIX_H
#define KP_TEST_MIX_H

#define MIX_CODE \
	".globl mix_recurse\n.type mix_recurse, %function\n" \
	"mix_recurse:\n" \
	"	addi sp, sp, -16\n" \
	"	sd s0, 0(sp)\n" \
	"	sd ra, 8(sp)\n" \
	"	mv s0, sp\n" \
	"	li a2, 0\n" \
	"	beqz a0, 1f\n" \
	"	addi a0, a0, -1\n" \
	"	call mix_recurse\n" \
	"	addi a2, a0, 1\n" \
	"1:	mv a0, a2\n" \
	"	ld s0, 0(sp)\n" \
	"	ld ra, 8(sp)\n" \
	"	addi sp, sp, 16\n" \
	"	ret\n" \
	".size mix_recurse, . - mix_recurse\n" \
	".globl mix_deep\n.type mix_deep, %function\n" \
	"mix_deep:\n" \
	"	addi sp, sp, -16\n" \
	"	sd ra, 8(sp)\n" \
	"	li a2, 0\n" \
	"	beqz a0, mix_leaf\n" \
	"	addi a0, a0, -1\n" \
	"	call mix_deep\n" \
	"	addi a2, a0, 1\n" \
	"	j 1f\n" \
	"mix_leaf:\n" \
	"	nop\n" \
	"1:	mv a0, a2\n" \
	"	ld ra, 8(sp)\n" \
	"	addi sp, sp, 16\n" \
	"	ret\n" \
	".size mix_deep, . - mix_deep\n" \
	".globl mix_jumps\n.type mix_jumps, %function\n" \
	"mix_jumps:\n" \
	"	addi sp, sp, -16\n" \
	"	sd s0, 0(sp)\n" \
	"	sd ra, 8(sp)\n" \
	"	mv s0, sp\n" \
	"	call mix_deep\n" \
	"mix_landed:\n" \
	"	ld s0, 0(sp)\n" \
	"	ld ra, 8(sp)\n" \
	"	addi sp, sp, 16\n" \
	"	ret\n" \
	".size mix_jumps, . - mix_jumps\n"

#define MIX_DEPTH(regs) ((regs)->a0)
#define MIX_MODE(regs) ((regs)->a1)
#define MIX_FRAME(regs) ((regs)->s0)
#define MIX_RESULT(regs) ((regs)->a0)
#define MIX_RETURN_LEN 0	/* of a return address on the stack */

#endif
