/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jprobe_targets.S - functions with many arguments, and a handler with a
 * landing pad.
 *
 * Owns: what jprobes.c probes, untouched by any compiler's prologue, so that
 * every kernel lets their entries be probed.
 */
#ifdef __KERNEL__
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#define T_RET RET
#else
#define T_RET ret
#endif

#define FUNC(name)							\
	.p2align 4;							\
	.globl name;							\
	.type name, @function;						\
name:
#define END(name) .size name, . - name

	.text

/* long t_ten(long a, … long j): sum of n * its n-th argument */
FUNC(t_ten)
	lea	(%rdi,%rsi,2), %rax
	lea	(%rdx,%rdx,2), %rdx
	add	%rdx, %rax
	lea	(%rax,%rcx,4), %rax
	lea	(%r8,%r8,4), %r8
	add	%r8, %rax
	imul	$6, %r9, %r9
	add	%r9, %rax
	imul	$7, 8(%rsp), %rcx
	add	%rcx, %rax
	imul	$8, 16(%rsp), %rcx
	add	%rcx, %rax
	imul	$9, 24(%rsp), %rcx
	add	%rcx, %rax
	imul	$10, 32(%rsp), %rcx
	add	%rcx, %rax
	T_RET
END(t_ten)

/* long t_words(struct t_words w): the words' sum; a struct by value */
FUNC(t_words_sum)
	mov	8(%rsp), %rax
	add	16(%rsp), %rax
	add	24(%rsp), %rax
	add	32(%rsp), %rax
	add	40(%rsp), %rax
	T_RET
END(t_words_sum)

/* A jprobe's handler: counts and returns; t_padded_entry + 4 is as good. */
FUNC(t_padded_entry)
	endbr64
	incq	t_padded_calls(%rip)
	sub	$8, %rsp
	call	jprobe_return_for_asm
	add	$8, %rsp
	T_RET
END(t_padded_entry)

	.section .note.GNU-stack, "", @progbits
