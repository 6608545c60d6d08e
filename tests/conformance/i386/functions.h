/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * functions.h - how the functions that are probed begin and end, and get their arguments.
 *
 * Owns: FUNC, END and arg.  A process has arguments on the stack, a kernel the first three
 * in eax, edx and ecx: what is different in it is as long.
 */
#ifndef KP_CONFORMANCE_FUNCTIONS_H
#define KP_CONFORMANCE_FUNCTIONS_H

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, @function;						\
name:
#define END(name) .size name, . - name

	.text
	.allow_index_reg

/*
 * Argument n, from 1, in a register, by an instruction of 4 bytes; so many bytes were pushed
 * since the function's entry.
 */
.macro	arg n, to, pushed=0
#ifdef CONFIG_X86_32
	.if	\n == 1
	{disp8} lea 0(%eax,%eiz), \to
	.else
	{disp8} lea 0(%edx,%eiz), \to
	.endif
#else
	mov	4 * \n + \pushed(%esp), \to
#endif
.endm

#endif
