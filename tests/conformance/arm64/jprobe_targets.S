/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_targets.S - functions with many arguments, and a handler with a
 * landing pad.
 *
 * Owns: what jprobes.c probes, untouched by any compiler's prologue.
 */
#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, %function;						\
name:
#define END(name) .size name, . - name

	.text

/* long t_ten(long a, … long j): sum of n * its n-th argument */
FUNC(t_ten)
	add	x0, x0, x1, lsl #1
	add	x2, x2, x2, lsl #1
	add	x0, x0, x2
	add	x0, x0, x3, lsl #2
	add	x4, x4, x4, lsl #2
	add	x0, x0, x4
	mov	x9, #6
	madd	x0, x5, x9, x0
	mov	x9, #7
	madd	x0, x6, x9, x0
	add	x0, x0, x7, lsl #3
	ldp	x10, x11, [sp]
	mov	x9, #9
	madd	x0, x10, x9, x0
	mov	x9, #10
	madd	x0, x11, x9, x0
	ret
END(t_ten)

/* long t_words(struct t_words w): the words' sum; a struct by value, which is a copy
   of the caller's that x0 points at */
FUNC(t_words_sum)
	ldp	x1, x2, [x0]
	ldp	x3, x4, [x0, #16]
	ldr	x5, [x0, #32]
	add	x0, x1, x2
	add	x0, x0, x3
	add	x0, x0, x4
	add	x0, x0, x5
	ret
END(t_words_sum)

/* A jprobe's handler: counts and returns; t_padded_entry + 4 is as good. */
FUNC(t_padded_entry)
	bti	c
	stp	x29, x30, [sp, #-16]!
	adrp	x9, t_padded_calls
	ldr	x10, [x9, #:lo12:t_padded_calls]
	add	x10, x10, #1
	str	x10, [x9, #:lo12:t_padded_calls]
	bl	jprobe_return_for_asm
	ldp	x29, x30, [sp], #16
	ret
END(t_padded_entry)

	.section .note.GNU-stack, "", %progbits
