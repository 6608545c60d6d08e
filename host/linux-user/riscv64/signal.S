/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal.S - where signal handlers begin and return.
 *
 * Owns: where the kernel calls our handlers, and the instruction that tells where they return.
 */
	.section .text.kp_trap, "ax", %progbits

	.macro	function name
	.p2align 2
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.endm

/*
 * The kernel has no word for where a handler returns to: always to its own code, on which
 * a breakpoint of ours stands (numbers.c).  So ours make that call themselves, in exactly
 * these words, which unwinders and debuggers recognise: li a7, 139; ecall.  sp is then
 * where it was, at the frame.  Nothing here for unwinders: they look at the words where
 * they know of nothing else.
 */
	.macro	enter name
	function kp_user_enter_\name
	call	kp_user_on_\name
	.word	0x08b00893
	.word	0x00000073
	.size	kp_user_enter_\name, . - kp_user_enter_\name
	.endm
	enter	fault
	enter	gather

/* And tell where the kernel's code is. */
	function kp_user_enter_trap
	sd	ra, kp_user_kernel_return, t0
	call	kp_user_on_trap
	.word	0x08b00893
	.word	0x00000073
	.size	kp_user_enter_trap, . - kp_user_enter_trap

/* A breakpoint, and behind it. */
	function kp_user_ask_return
	.cfi_startproc
	.hword	0x9002			/* c.ebreak */
	ret
	.cfi_endproc
	.size	kp_user_ask_return, . - kp_user_ask_return

	.section .note.GNU-stack, "", %progbits
