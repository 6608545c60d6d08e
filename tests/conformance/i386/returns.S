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
	push	%ebp
	mov	%esp, %ebp
	arg	1, %ecx, 4
	mov	$1, %eax
	test	%ecx, %ecx
	jz	1f
	push	%ecx
#ifdef CONFIG_X86_32
	lea	-1(%ecx), %eax
#else
	dec	%ecx
	push	%ecx
#endif
	call	t_fact
	imul	-4(%ebp), %eax
1:	leave
	ret
END(t_fact)

/* long t_tail(long a) { return t_tail2(a + 1); }, by a jump */
FUNC(t_tail)
#ifdef CONFIG_X86_32
	inc	%eax
#else
	incl	4(%esp)
#endif
	jmp	t_tail2
END(t_tail)

/* long t_tail2(long a) { return 2 * a; } */
FUNC(t_tail2)
	arg	1, %eax
	add	%eax, %eax
	ret
END(t_tail2)

/* long t_enter(long a) { return t_inside(a) + 1000; } */
FUNC(t_enter)
	push	%ebp
	mov	%esp, %ebp
	sub	$4, %esp
#ifndef CONFIG_X86_32
	push	8(%ebp)
#endif
	call	t_inside
	add	$1000, %eax
	leave
	ret
END(t_enter)

/* The word at the stack pointer: the return address that the stack shows. */
FUNC(t_whence)
	mov	(%esp), %eax
	ret
END(t_whence)

FUNC(t_quiet)
	nop
	ret
END(t_quiet)

/* Calls t_quiet: 0, or a bit for each register that changed. */
FUNC(t_caller)
	push	%ebp
	push	%ebx
	push	%esi
	push	%edi
	mov	$1, %eax
	mov	$2, %ebx
	mov	$3, %ecx
	mov	$4, %edx
	mov	$5, %esi
	mov	$6, %edi
	mov	$7, %ebp
	stc
	call	t_quiet
	/* lea and mov leave the flags alone. */
	lea	-1(%eax), %eax
	lea	-2(%ebx), %ebx
	lea	-3(%ecx), %ecx
	lea	-4(%edx), %edx
	lea	-5(%esi), %esi
	lea	-6(%edi), %edi
	lea	-7(%ebp), %ebp
	jc	1f
	bts	$31, %eax
1:	or	%ebx, %eax
	or	%ecx, %eax
	or	%edx, %eax
	or	%esi, %eax
	or	%edi, %eax
	or	%ebp, %eax
	pop	%edi
	pop	%esi
	pop	%ebx
	pop	%ebp
	ret
END(t_caller)

/*
 * long t_again(void): t_whence returns twice, the second time by hand to where
 * it returned to the first time; how often it did.
 */
FUNC(t_again)
	push	%ebx
	xor	%ebx, %ebx
	call	t_whence
	add	$1, %ebx
	cmp	$2, %ebx
	je	1f
	push	%eax
	ret
1:	mov	%ebx, %eax
	pop	%ebx
	ret
END(t_again)

/* What a compiler moved away from t_part. */
FUNC(t_part)
	jmp	t_part.cold
END(t_part)

	.type	t_part.cold, @function
	.globl	t_part.cold
t_part.cold:
	nop
	ret
	.size	t_part.cold, . - t_part.cold

	.section .note.GNU-stack, "", @progbits
