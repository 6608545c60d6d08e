/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * keeps.S - registers before and after calls that keep them.
 *
 * Owns: filling those that a function keeps with numbers, spoiling them before a fault, calls
 * whose return is hooked, and the look at registers afterwards: what no compiler may have a
 * hand in.  calls.c has the prototypes.
 */
	.syntax unified
	.arch	armv7-a
	.fpu	neon
	.text

#define SAVED 4,5,6,7,8,9,10,11

	.macro	arm_function name
	.arm
	.p2align 2
	.globl	\name
	.type	\name, %function
\name:
	.endm
	.macro	thumb_function name
	.thumb
	.p2align 2
	.globl	\name
	.type	\name, %function
	.thumb_func
\name:
	.endm

/* bool guard_keeps(guard r0, fn r1): a guarded call of fn, which may be abandoned. */
	arm_function guard_keeps
	push	{r4-r11, lr}
	sub	sp, sp, #12
	str	sp, [sp, #4]
	.irp	n, SAVED
	mov	r\n, #0x100 + 0x10 * \n
	.endr
	bl	kp_arch_guard_call
	mov	r0, #1
	.irp	n, SAVED
	cmp	r\n, #0x100 + 0x10 * \n
	movne	r0, #0
	.endr
	ldr	r1, [sp, #4]
	cmp	r1, sp
	movne	r0, #0
	add	sp, sp, #12
	pop	{r4-r11, pc}

/* A handler that spoils them all, and its stack pointer, and faults. */
	.macro	spoil
	.irp	n, SAVED
	mov	r\n, #0
	.endr
	sub	sp, sp, #256
	mov	lr, #0
	mov	r0, #0
	.endm
	arm_function spoil_and_fault
	spoil
	ldr	r0, [r0]
	bx	lr
/* In an IT block, which goes on behind the fault. */
	thumb_function spoil_and_fault_thumb
	spoil
	cmp	r0, #0
	itet	eq
	ldreq	r0, [r0]
	movne	r0, #1
	moveq	r0, #2
	bx	lr

/* bool keeping_keeps(void): all for floating point, across kp_arch_keeping of a spoiler. */
	arm_function keeping_keeps
	push	{r4-r6, lr}
	vpush	{d8-d15}
	sub	sp, sp, #8
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	mov	r0, #\n + 1
	mov	r1, #0x200
	vmov	d\n, r0, r1
	.endr
	mov	r0, #0x00400000			/* round up */
	vmsr	fpscr, r0
	mov	r0, #3
	ldr	r1, =spoil_floats
	mov	r2, sp
	bl	kp_arch_keeping
	vmrs	r4, fpscr
	eor	r4, r4, #0x00400000
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmov	r0, r1, d\n
	eor	r0, r0, #\n + 1
	eor	r1, r1, #0x200
	orr	r4, r4, r0
	orr	r4, r4, r1
	.endr
	ldr	r0, [sp]			/* it was called with this, in round to nearest */
	sub	r0, r0, sp
	orr	r4, r4, r0
	mov	r0, #0
	vmsr	fpscr, r0
	cmp	r4, #0
	moveq	r0, #1
	add	sp, sp, #8
	vpop	{d8-d15}
	pop	{r4-r6, pc}

	arm_function spoil_floats
	vmrs	r1, fpscr
	add	r1, r1, r0
	str	r1, [r0]
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmov.i32 d\n, #0
	.endr
	mov	r1, #0x00C00000
	vmsr	fpscr, r1
	bx	lr
	.ltorg

/*
 * bool hooked_keeps(fn r0, stub r1): call fn, whose return is to the stub; is all kept that a
 * caller counts on, and are its results there?  Of either set, to which it returns itself.
 */
	.macro	hooked
	push	{r4-r11, lr}
	sub	sp, sp, #12
	mov	r2, sp
	str	r2, [sp, #4]
	.irp	n, SAVED
	mov	r\n, #0x100 + 0x10 * \n
	.endr
	mov	lr, r1
	mov	r2, r0
	bx	r2
1:
	.endm
	.macro	look
	cmp	r0, #0x51
	bne	3f
	cmp	r1, #0x52
	bne	3f
	cmp	r2, #0x53
	bne	3f
	cmp	r3, #0x54
	bne	3f
	.irp	n, SAVED
	cmp	r\n, #0x100 + 0x10 * \n
	bne	3f
	.endr
	ldr	r1, [sp, #4]
	mov	r2, sp
	cmp	r1, r2
	bne	3f
	mov	r0, #1
	b	4f
3:	mov	r0, #0
4:	add	sp, sp, #12
	pop	{r4-r11, pc}
	.endm
	arm_function hooked_keeps
	hooked
	.globl	hooked_back
hooked_back:
	bvc	3f				/* the flags, too */
	look
	thumb_function hooked_keeps_thumb
	hooked
	.globl	hooked_back_thumb
	.thumb_func
hooked_back_thumb:
	bvc	3f
	look

/* Functions that return four words, and V. */
	.macro	results
	mov	r0, #0x90000000
	msr	cpsr_f, r0
	mov	r0, #0x51
	mov	r1, #0x52
	mov	r2, #0x53
	mov	r3, #0x54
	.endm
	arm_function returns
	push	{r4, lr}
	results
	pop	{r4, pc}
	thumb_function returns_thumb
	results
	bx	lr

/* Execute what stands there, of A32 and of T32: each traps. */
	arm_function go_to
	bx	r0

	.section .note.GNU-stack, "", %progbits
