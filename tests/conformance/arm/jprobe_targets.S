/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_targets.S - functions with many arguments, and a handler of assembly.
 *
 * Owns: what jprobes.c probes, untouched by any compiler's prologue.
 */
#include "functions.h"

/* long t_ten(long a, … long j): sum of n * its n-th argument */
FUNC(t_ten)
	W(add)	r0, r0, r1, lsl #1
	W(add)	r2, r2, r2, lsl #1
	W(add)	r0, r0, r2
	W(add)	r0, r0, r3, lsl #2
	.irp	n, 5, 6, 7, 8, 9, 10
	W(ldr)	r1, [sp, #4 * (\n - 5)]
	W(mov)	r2, #\n
	mla	r0, r1, r2, r0
	.endr
	bx	lr
END(t_ten)

/* long t_words(struct t_words w): the words' sum; a struct by value, part of it in registers */
FUNC(t_words_sum)
	W(add)	r0, r0, r1
	W(add)	r0, r0, r2
	W(add)	r0, r0, r3
	W(ldr)	r1, [sp]
	W(add)	r0, r0, r1
	bx	lr
END(t_words_sum)

/* A jprobe's handler: counts and returns; t_padded_entry + 4 is as good. */
FUNC(t_padded_entry)
	W(nop)
	push	{r4, lr}
	ldr	r1, 1f
	ldr	r2, [r1]
	add	r2, r2, #1
	str	r2, [r1]
	bl	jprobe_return_for_asm
	pop	{r4, pc}
	.p2align 2
1:	.word	t_padded_calls
END(t_padded_entry)

	.section .note.GNU-stack, "", %progbits
