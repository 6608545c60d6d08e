/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal.S - where signal handlers begin and return.
 *
 * Owns: the returns from handlers, ours and the program's, whose words unwinders and
 * debuggers recognise.
 */
	.section .text.kp_trap, "ax", @progbits

	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.endm

/* Exactly these words: mov x8, #139; svc #0. */
	nop				/* unwinders look at the word before */
	function kp_user_restorer
	.inst	0xd2801168
	.inst	0xd4000001
	.size	kp_user_restorer, . - kp_user_restorer

/*
 * Where the program's signal handlers return to, in place of the kernel's two words:
 * the mask in the frame may have been changed (mask.c).  sp is at a siginfo_t and the
 * ucontext behind it; nothing below is in use, and all registers are about to go.
 */
#define UC_AT 128			/* syscalls.c asserts these */
#define UC_MASK 40
#define HELD 0x4d8			/* KP_SIG_HELD */
	nop
	function kp_user_sigreturn
	.inst	0xd2801168
	b	kp_user_sigreturn_look
	.size	kp_user_sigreturn, . - kp_user_sigreturn

	function kp_user_sigreturn_look
	ldr	x0, [sp, #UC_AT + UC_MASK]
	mov	x1, #HELD
	tst	x0, x1
	b.eq	1f
	add	x0, sp, #UC_AT
	bl	kp_user_mask_returned
	mov	x8, #139
1:	svc	#0
	.size	kp_user_sigreturn_look, . - kp_user_sigreturn_look

	.section .note.GNU-stack, "", @progbits
