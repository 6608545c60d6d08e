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
	addi	sp, sp, -16
	sd	ra, 8(sp)
	sd	s0, 0(sp)
	mv	s0, a0
	li	a0, 1
	beqz	s0, 1f
	addi	a0, s0, -1
	jal	ra, t_fact
	mul	a0, a0, s0
1:	ld	s0, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(t_fact)

/* long t_tail(long a) { return t_tail2(a + 1); }, by a jump */
FUNC(t_tail)
	addi	a0, a0, 1
	j	t_tail2
END(t_tail)

/* long t_tail2(long a) { return 2 * a; } */
FUNC(t_tail2)
	add	a0, a0, a0
	ret
END(t_tail2)

/* long t_enter(long a) { return t_inside(a) + 1000; } */
FUNC(t_enter)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	call	t_inside
	addi	a0, a0, 1000
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(t_enter)

/* The return address that the function finds. */
FUNC(t_whence)
	mv	a0, ra
	ret
END(t_whence)

FUNC(t_quiet)
	c.nop
	ret
END(t_quiet)

#define CHANGEABLE t0, t1, t2, t3, t4, t5, t6, a1, a2, a3, a4, a5, a6, a7
#define KEPT s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11

/* Calls t_quiet: 0, or what has changed of any register. */
FUNC(t_caller)
	addi	sp, sp, -112
	sd	ra, 104(sp)
	.set	at, 0
	.irp	r, KEPT
	sd	\r, at(sp)
	.set	at, at + 8
	.endr
	li	a0, 7
	.set	at, 20
	.irp	r, CHANGEABLE, KEPT
	li	\r, at
	.set	at, at + 1
	.endr
	call	1f
	addi	a0, a0, -7
	.set	at, 20
	.irp	r, CHANGEABLE, KEPT
	addi	\r, \r, -(at)
	or	a0, a0, \r
	.set	at, at + 1
	.endr
	.set	at, 0
	.irp	r, KEPT
	ld	\r, at(sp)
	.set	at, at + 8
	.endr
	ld	ra, 104(sp)
	addi	sp, sp, 112
	ret
	/* A call of what is far would take a register. */
1:	j	t_quiet
END(t_caller)

/*
 * long t_again(void): t_whence returns twice, the second time by hand to where
 * it returned to the first time; how often it did.
 */
FUNC(t_again)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	sd	s0, 0(sp)
	li	s0, 0
	jal	ra, t_whence
	addi	s0, s0, 1
	li	t0, 2
	beq	s0, t0, 1f
	jr	a0
1:	mv	a0, s0
	ld	s0, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(t_again)

/* What a compiler moved away from t_part. */
FUNC(t_part)
	j	t_part.cold
END(t_part)

	.type	t_part.cold, %function
	.globl	t_part.cold
t_part.cold:
	c.nop
	ret
	.size	t_part.cold, . - t_part.cold

	.section .note.GNU-stack, "", %progbits
