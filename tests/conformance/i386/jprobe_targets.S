/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_targets.S - functions with many arguments, and a handler with a landing pad.
 *
 * Owns: what jprobes.c probes, untouched by any compiler's prologue.
 */
#include "functions.h"

/* long t_ten(long a, … long j): sum of n * its n-th argument */
FUNC(t_ten)
#ifdef CONFIG_X86_32
	lea	(%eax,%edx,2), %eax
	lea	(%ecx,%ecx,2), %ecx
	add	%ecx, %eax
	.irp	n, 4, 5, 6, 7, 8, 9, 10
	imul	$\n, 4 * (\n - 3)(%esp), %ecx
	add	%ecx, %eax
	.endr
#else
	mov	4(%esp), %eax
	.irp	n, 2, 3, 4, 5, 6, 7, 8, 9, 10
	imul	$\n, 4 * \n(%esp), %ecx
	add	%ecx, %eax
	.endr
#endif
	ret
END(t_ten)

/* long t_words(struct t_words w): the words' sum; a struct by value */
FUNC(t_words_sum)
	mov	4(%esp), %eax
	add	8(%esp), %eax
	add	12(%esp), %eax
	add	16(%esp), %eax
	add	20(%esp), %eax
	ret
END(t_words_sum)

/* A jprobe's handler: counts and returns; t_padded_entry + 4 is as good. */
FUNC(t_padded_entry)
	endbr32
	incl	t_padded_calls
	sub	$12, %esp
	call	jprobe_return_for_asm
	add	$12, %esp
	ret
END(t_padded_entry)

	.section .note.GNU-stack, "", @progbits
