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
	ADDI	$29, $29, -FRAME
	STORE	$31, AT_RA($29)
	STORE	$16, AT_S0($29)
	move	$16, $4
	beqz	$16, 1f
	li	$2, 1
	bal	t_fact
	ADDI	$4, $16, -1
	MULT	$2, $16
	mflo	$2
1:	LOAD	$16, AT_S0($29)
	LOAD	$31, AT_RA($29)
	jr	$31
	ADDI	$29, $29, FRAME
END(t_fact)

/* long t_tail(long a) { return t_tail2(a + 1); }, by a jump */
FUNC(t_tail)
	ADDI	$4, $4, 1
	b	t_tail2
	nop
END(t_tail)

/* long t_tail2(long a) { return 2 * a; } */
FUNC(t_tail2)
	ADD	$2, $4, $4
	back
END(t_tail2)

/* long t_enter(long a) { return t_inside(a) + 1000; } */
FUNC(t_enter)
	ADDI	$29, $29, -FRAME
	STORE	$31, AT_RA($29)
	address	$25, t_inside
	jalr	$25
	nop
	ADDI	$2, $2, 1000
	LOAD	$31, AT_RA($29)
	jr	$31
	ADDI	$29, $29, FRAME
END(t_enter)

/* The return address that the function finds. */
FUNC(t_whence)
	move	$2, $31
	back
END(t_whence)

FUNC(t_quiet)
	nop
	back
END(t_quiet)

/* All that belongs to a caller: a linker's code may change at and t9 in any call. */
#define CHANGEABLE 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24
#ifdef KP_ABSOLUTE
#define KEPT 16, 17, 18, 19, 20, 21, 22, 23, 30		/* a kernel's gp is the task */
#else
#define KEPT 16, 17, 18, 19, 20, 21, 22, 23, 28, 30
#endif

/* Calls t_quiet: 0, or what has changed of any register. */
FUNC(t_caller)
	ADDI	$29, $29, -128
	STORE	$31, 120($29)
	.set	at, 16
	.irp	r, KEPT
	STORE	$\r, at($29)
	.set	at, at + 8
	.endr
	li	$2, 7
	.irp	r, CHANGEABLE, KEPT
	li	$\r, 20 + \r
	.endr
	bal	t_quiet
	nop
	ADDI	$2, $2, -7
	.irp	r, CHANGEABLE, KEPT
	ADDI	$\r, $\r, -(20 + \r)
	or	$2, $2, $\r
	.endr
	.set	at, 16
	.irp	r, KEPT
	LOAD	$\r, at($29)
	.set	at, at + 8
	.endr
	LOAD	$31, 120($29)
	jr	$31
	ADDI	$29, $29, 128
END(t_caller)

/*
 * long t_again(void): t_whence returns twice, the second time by hand to where
 * it returned to the first time; how often it did.
 */
FUNC(t_again)
	ADDI	$29, $29, -FRAME
	STORE	$31, AT_RA($29)
	STORE	$16, AT_S0($29)
	li	$16, 0
	bal	t_whence
	nop
	ADDI	$16, $16, 1
	li	$8, 2
	beq	$16, $8, 1f
	nop
	jr	$2
	nop
1:	move	$2, $16
	LOAD	$16, AT_S0($29)
	LOAD	$31, AT_RA($29)
	jr	$31
	ADDI	$29, $29, FRAME
END(t_again)

/* What a compiler moved away from t_part. */
FUNC(t_part)
	b	t_part.cold
	nop
END(t_part)

	.type	t_part.cold, @function
	.globl	t_part.cold
t_part.cold:
	nop
	back
	.size	t_part.cold, . - t_part.cold

	.section .note.GNU-stack, "", @progbits
