/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * returns.S - functions for return probes.
 *
 * Owns: recursion, a tail call, a call into C, a look at the own return
 * address, and a caller that notices a changed register.
 */
#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, %function;						\
name:
#define END(name) .size name, . - name

	.text

/* long t_fact(long n) */
FUNC(t_fact)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x19, [sp, #16]
	mov	x19, x0
	mov	x0, #1
	cbz	x19, 1f
	sub	x0, x19, #1
	bl	t_fact
	mul	x0, x0, x19
1:	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
END(t_fact)

/* long t_tail(long a) { return t_tail2(a + 1); }, by a jump */
FUNC(t_tail)
	add	x0, x0, #1
	b	t_tail2
END(t_tail)

/* long t_tail2(long a) { return 2 * a; } */
FUNC(t_tail2)
	add	x0, x0, x0
	ret
END(t_tail2)

/* long t_enter(long a) { return t_inside(a) + 1000; } */
FUNC(t_enter)
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	t_inside
	add	x0, x0, #1000
	ldp	x29, x30, [sp], #16
	ret
END(t_enter)

/* The return address that the function finds. */
FUNC(t_whence)
	mov	x0, x30
	ret
END(t_whence)

FUNC(t_quiet)
	nop
	ret
END(t_quiet)

/* Calls t_quiet: 0, or a bit for each register that changed. */
FUNC(t_caller)
	stp	x29, x30, [sp, #-96]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28
	mov	x\n, #\n + 1
	.endr
	cmp	x0, x0			/* Z and C */
	bl	t_quiet
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28
	sub	x\n, x\n, #\n + 1
	.endr
	b.ne	1f
	b.cs	2f
1:	mov	x1, #1 << 32
2:	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28
	orr	x0, x0, x\n
	.endr
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret
END(t_caller)

/*
 * long t_again(void): t_whence returns twice, the second time by hand to where
 * it returned to the first time; how often it did.
 */
FUNC(t_again)
	stp	x29, x30, [sp, #-32]!
	str	x19, [sp, #16]
	mov	x19, #0
	bl	t_whence
	add	x19, x19, #1
	cmp	x19, #2
	b.eq	1f
	br	x0
1:	mov	x0, x19
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
END(t_again)

/* What a compiler moved away from t_part. */
FUNC(t_part)
	b	t_part.cold
END(t_part)

	.type	t_part.cold, %function
	.globl	t_part.cold
t_part.cold:
	nop
	ret
	.size	t_part.cold, . - t_part.cold

	.section .note.GNU-stack, "", %progbits
