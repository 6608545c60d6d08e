/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mix.h - the functions that kp_mix.c calls, on i386.
 *
 * Owns: their instructions, and where they keep their arguments and their frame.
 */
#ifndef KP_TEST_MIX_H
#define KP_TEST_MIX_H

#include <asm/nospec-branch.h>

#define MIX_CODE \
	".globl mix_recurse\n.type mix_recurse, @function\n" \
	"mix_recurse:\n" \
	"	push %ebp\n" \
	"	mov %esp, %ebp\n" \
	"	xor %ecx, %ecx\n" \
	"	test %eax, %eax\n" \
	"	jz 1f\n" \
	"	sub $1, %eax\n" \
	"	call mix_recurse\n" \
	"	lea 1(%eax), %ecx\n" \
	"1:	mov %ecx, %eax\n" \
	"	pop %ebp\n" \
	"	" ASM_RET \
	".size mix_recurse, . - mix_recurse\n" \
	".globl mix_deep\n.type mix_deep, @function\n" \
	"mix_deep:\n" \
	"	sub $8, %esp\n" \
	"	xor %ecx, %ecx\n" \
	"	test %eax, %eax\n" \
	"	jz mix_leaf\n" \
	"	sub $1, %eax\n" \
	"	call mix_deep\n" \
	"	lea 1(%eax), %ecx\n" \
	"	jmp 1f\n" \
	"mix_leaf:\n" \
	"	nop\n" \
	"1:	mov %ecx, %eax\n" \
	"	add $8, %esp\n" \
	"	" ASM_RET \
	".size mix_deep, . - mix_deep\n" \
	".globl mix_jumps\n.type mix_jumps, @function\n" \
	"mix_jumps:\n" \
	"	push %ebp\n" \
	"	mov %esp, %ebp\n" \
	"	call mix_deep\n" \
	"mix_landed:\n" \
	"	pop %ebp\n" \
	"	" ASM_RET \
	".size mix_jumps, . - mix_jumps\n"

#define MIX_DEPTH(regs) ((regs)->ax)
#define MIX_MODE(regs) ((regs)->dx)
#define MIX_FRAME(regs) ((regs)->bp)
#define MIX_RESULT(regs) ((regs)->ax)
#define MIX_RETURN_LEN 4	/* of a return address on the stack */

#endif
