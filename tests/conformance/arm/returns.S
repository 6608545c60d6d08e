/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * returns.S - functions for return probes.
 *
 * Owns: recursion, a tail call, a call into C, a look at the own return
 * address, and a caller that notices a changed register.
 */
#include "functions.h"

/* long t_fact(long n) */
FUNC(t_fact)
	push	{r4, lr}
	W(mov)	r4, r0
	W(mov)	r0, #1
	W(movs)	r4, r4
	W(beq)	1f
	W(sub)	r0, r4, #1
	bl	t_fact
	mul	r0, r4, r0
1:	pop	{r4, pc}
END(t_fact)

/* long t_tail(long a) { return t_tail2(a + 1); }, by a jump */
FUNC(t_tail)
	W(add)	r0, r0, #1
	W(b)	t_tail2
END(t_tail)

/* long t_tail2(long a) { return 2 * a; } */
FUNC(t_tail2)
	W(add)	r0, r0, r0
	bx	lr
END(t_tail2)

/* long t_enter(long a) { return t_inside(a) + 1000; } */
FUNC(t_enter)
	push	{r4, lr}
	bl	t_inside
	W(add)	r0, r0, #1000
	pop	{r4, pc}
END(t_enter)

/* The return address that the function finds. */
FUNC(t_whence)
	mov	r0, lr
	bx	lr
END(t_whence)

FUNC(t_quiet)
	W(nop)
	bx	lr
END(t_quiet)

/* Calls t_quiet: 0, or a bit for each register that changed. */
FUNC(t_caller)
	push	{r4-r12, lr}
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	W(mov)	r\n, #\n + 1
	.endr
	cmp	r0, r0			/* Z and C */
	bl	t_quiet
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	W(sub)	r\n, r\n, #\n + 1
	.endr
	bne	1f
	bcs	2f
1:	W(mov)	r1, #0x100
2:	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	W(orr)	r0, r0, r\n
	.endr
	pop	{r4-r12, pc}
END(t_caller)

/*
 * long t_again(void): t_whence returns twice, the second time by hand to where
 * it returned to the first time; how often it did.
 */
FUNC(t_again)
	push	{r4, lr}
	W(mov)	r4, #0
	bl	t_whence
	W(add)	r4, r4, #1
	cmp	r4, #2
	beq	1f
	bx	r0
1:	mov	r0, r4
	pop	{r4, pc}
END(t_again)

/* What a compiler moved away from t_part. */
FUNC(t_part)
	W(b)	t_part.cold
END(t_part)

	.type	t_part.cold, %function
	.globl	t_part.cold
t_part.cold:
	W(nop)
	bx	lr
	.size	t_part.cold, . - t_part.cold

	.section .note.GNU-stack, "", %progbits
