/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal.S - where signal handlers begin and return.
 *
 * Owns: the returns from handlers, ours and the program's.  All of it is A32.
 */
	.syntax unified
	.arm
	.arch	armv7-a
	.section .text.kp_trap, "ax", %progbits

	.macro	end name
	.fnend
	.size	\name, . - \name
	.endm

/*
 * Where our handlers return to: a frame for unwinders, of a siginfo_t, and of a ucontext_t
 * what is before r0.  They look up the word before a return address.
 */
#define INFO 128			/* syscalls.c asserts it */
#define UC_R0 32
#define UC_MASK 104			/* mask.c asserts it */
#define HELD 0x4d8			/* KP_SIG_HELD */
	.macro	sig_return name, nr, frame
	.p2align 2
	.fnstart
	.save	{r0-r15}
	.pad	#(\frame + UC_R0)
	nop
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.ifnc	\name, kp_user_restorer
	movw	r1, #HELD
	ldr	r0, [sp, #(\frame + UC_MASK)]
	tst	r0, r1
	beq	1f
	add	r0, sp, #\frame
	bl	kp_user_mask_returned
	.endif
1:	mov	r7, #\nr
	svc	#0
	end \name
	.endm

/* The program's, where it names no code for that: the mask may have been changed (mask.c). */
	sig_return kp_user_restorer, 173, INFO
	sig_return kp_user_sigreturn, 173, INFO
	sig_return kp_user_sigreturn_old, 119, 0

	.section .note.GNU-stack, "", %progbits
