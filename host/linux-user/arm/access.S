/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.S - the instructions of the process host that cannot be C.
 *
 * Owns: the copy that may fault, whose range copy.c knows, a call on another stack, a
 * system call that is led aside, and the beginning of a thread of ours.  All of it is A32.
 */
	.syntax unified
	.arm
	.arch	armv7-a
	.section .text.kp_trap, "ax", %progbits

	.macro	function name
	.p2align 2
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.fnstart
	.endm
	.macro	end name
	.fnend
	.size	\name, . - \name
	.endm
	.macro	place name
	.globl	\name
	.hidden	\name
\name:
	.endm

/*
 * int kp_user_copy(void *dst, const void *src, size_t len): 0 or -EFAULT.  In one access
 * where it can be: a breakpoint of either set, a word.
 */
	function kp_user_copy
	orr	r3, r0, r1
place kp_user_copy_begin
	tst	r3, #3
	bne	2f
1:	cmp	r2, #4
	blo	2f
	ldr	ip, [r1], #4
	str	ip, [r0], #4
	sub	r2, r2, #4
	b	1b
2:	tst	r3, #1
	bne	4f
3:	cmp	r2, #2
	blo	4f
	ldrh	ip, [r1], #2
	strh	ip, [r0], #2
	sub	r2, r2, #2
	b	3b
4:	cmp	r2, #0
	beq	5f
	ldrb	ip, [r1], #1
	strb	ip, [r0], #1
	sub	r2, r2, #1
	b	4b
5:	mov	r0, #0
place kp_user_copy_end
	bx	lr
place kp_user_copy_failed
	mvn	r0, #13			/* -EFAULT */
	bx	lr
	end kp_user_copy

/* void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg) */
	function kp_user_call_on
	.save	{r4, lr}
	push	{r4, lr}
	.setfp	r4, sp
	mov	r4, sp
	bic	sp, r0, #7
	mov	r0, r2
	blx	r1
	mov	sp, r4
	pop	{r4, pc}
	end kp_user_call_on

/*
 * A system call that was led here (passage.c); the breakpoint is served there.
 */
	function kp_user_passage_call
	svc	#0
place kp_user_passage_end
	.inst	0xe7f001f0
	end kp_user_passage_call

/*
 * long kp_user_clone(flags, stack, tid, fn, arg): a thread that begins with fn(arg), which
 * never returns.  The kernel stores its number at tid, and 0 when it ends.  No C library:
 * writer.c says why.
 */
	function kp_user_clone
	.save	{r4-r8, lr}
	push	{r4-r8, lr}
	ldr	r6, [sp, #24]
	mov	r5, r3
	mov	r4, r2			/* where the 0 goes */
	mov	r3, #0
	bic	r1, r1, #7
	mov	r7, #120
	svc	#0
	cmp	r0, #0
	popne	{r4-r8, pc}
	mov	fp, #0
	mov	lr, #0
	mov	r0, r6
	blx	r5
	udf	#0
	end kp_user_clone

	.section .note.GNU-stack, "", %progbits
