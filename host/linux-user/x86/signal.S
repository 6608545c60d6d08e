/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal.S - where signal handlers begin and return.
 *
 * Owns: the returns from handlers, ours and the program's, whose bytes unwinders and
 * debuggers recognise.
 */
	.section .text.kp_trap, "ax", @progbits

/* Exactly these bytes: mov $15, %rax; syscall. */
	.globl	kp_user_restorer
	.hidden	kp_user_restorer
	.type	kp_user_restorer, @function
	.p2align 4
	nop				/* unwinders look at the byte before */
kp_user_restorer:
	.byte	0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00
	.byte	0x0f, 0x05
	.size	kp_user_restorer, . - kp_user_restorer

/*
 * Where the program's signal handlers return to, in place of the C library's two
 * instructions: the mask in the frame may have been changed (mask.c).  rsp is at
 * the ucontext; nothing below is in use, and all registers are about to go.
 */
#define UC_MASK 296		/* mask.c asserts it */
#define HELD 0x4d8		/* KP_SIG_HELD */
	.globl	kp_user_sigreturn
	.hidden	kp_user_sigreturn
	.type	kp_user_sigreturn, @function
	.p2align 4
kp_user_sigreturn:
	testl	$HELD, UC_MASK(%rsp)
	jnz	2f
1:	.byte	0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00
	.byte	0x0f, 0x05
2:	mov	%rsp, %rdi
	call	kp_user_mask_returned
	jmp	1b
	.size	kp_user_sigreturn, . - kp_user_sigreturn

	.section .note.GNU-stack, "", @progbits
