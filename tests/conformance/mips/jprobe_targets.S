/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_targets.S - functions with many arguments, and a handler with what would be a
 * landing pad.
 *
 * Owns: what jprobes.c probes, untouched by any compiler's prologue.
 */
#include "functions.h"

.macro	weigh reg, n
	li	$24, \n
	MULT	\reg, $24
	mflo	$24
	ADD	$2, $2, $24
.endm

/* long t_ten(long a, … long j): sum of n * its n-th argument */
FUNC(t_ten)
	move	$2, $4
	weigh	$5, 2
	weigh	$6, 3
	weigh	$7, 4
#ifdef __mips64
	weigh	$8, 5
	weigh	$9, 6
	weigh	$10, 7
	weigh	$11, 8
	ld	$3, 0($29)
	weigh	$3, 9
	ld	$3, 8($29)
	weigh	$3, 10
#else
	.irp	n, 5, 6, 7, 8, 9, 10
	lw	$3, 4 * (\n - 1)($29)
	weigh	$3, \n
	.endr
#endif
	back
END(t_ten)

/* long t_words(struct t_words w): the words' sum; a struct by value is so many arguments */
FUNC(t_words_sum)
	ADD	$2, $4, $5
	ADD	$2, $2, $6
	ADD	$2, $2, $7
#ifndef __mips64
	lw	$8, 16($29)
#endif
	ADD	$2, $2, $8
	back
END(t_words_sum)

/* A jprobe's handler: counts and returns; t_padded_entry + 4 is as good. */
FUNC(t_padded_entry)
	nop
	ADDI	$29, $29, -FRAME
	STORE	$31, AT_RA($29)
	address	$8, t_padded_calls
	LOAD	$9, 0($8)
	ADDI	$9, $9, 1
	STORE	$9, 0($8)
	address	$25, jprobe_return_for_asm
	jalr	$25
	nop
	LOAD	$31, AT_RA($29)
	jr	$31
	ADDI	$29, $29, FRAME
END(t_padded_entry)

	.section .note.GNU-stack, "", @progbits
