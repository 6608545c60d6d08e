/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_targets.S - functions with many arguments, and a handler with a
 * landing pad.
 *
 * Owns: what jprobes.c probes, untouched by any compiler's prologue.
 */
#include "functions.h"

/* long t_ten(long a, … long j): sum of n * its n-th argument */
FUNC(t_ten)
	.macro	weigh reg, n
	li	t0, \n
	mul	\reg, \reg, t0
	add	a0, a0, \reg
	.endm
	weigh	a1, 2
	weigh	a2, 3
	weigh	a3, 4
	weigh	a4, 5
	weigh	a5, 6
	weigh	a6, 7
	weigh	a7, 8
	ld	t1, 0(sp)
	weigh	t1, 9
	ld	t1, 8(sp)
	weigh	t1, 10
	ret
END(t_ten)

/* long t_words(struct t_words w): the words' sum; a struct by value, which is a copy
   of the caller's that a0 points at */
FUNC(t_words_sum)
	.irp	at, 0, 8, 16, 24, 32
	ld	t0, \at(a0)
	add	t1, t1, t0
	.ifeq	\at
	mv	t1, t0
	.endif
	.endr
	mv	a0, t1
	ret
END(t_words_sum)

/* A jprobe's handler: counts and returns; t_padded_entry + 4 is as good. */
FUNC(t_padded_entry)
	.word	0x00000017		/* lpad 0 */
	addi	sp, sp, -16
	sd	ra, 8(sp)
	lla	t0, t_padded_calls
	ld	t1, 0(t0)
	addi	t1, t1, 1
	sd	t1, 0(t0)
	call	jprobe_return_for_asm
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(t_padded_entry)

	.section .note.GNU-stack, "", %progbits
