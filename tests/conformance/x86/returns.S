/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * returns.S - functions for return probes.
 *
 * Owns: recursion, a tail call, a call into C, a look at the own return
 * address, and a caller that notices a changed register.
 */
#ifdef __KERNEL__
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#ifndef T_RET
#define T_RET RET
#endif
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

/* long t_fact(long n) */
FUNC(t_fact)
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	mov	%rdi, %rbx
	mov	$1, %eax
	test	%rdi, %rdi
	jz	1f
	dec	%rdi
	call	t_fact
	imul	%rbx, %rax
1:	pop	%rbx
	pop	%rbp
	T_RET
END(t_fact)

/* long t_tail(long a) { return t_tail2(a + 1); }, by a jump */
FUNC(t_tail)
	inc	%rdi
	jmp	t_tail2
END(t_tail)

/* long t_tail2(long a) { return 2 * a; } */
FUNC(t_tail2)
	lea	(%rdi,%rdi), %rax
	T_RET
END(t_tail2)

/* long t_enter(long a) { return t_inside(a) + 1000; } */
FUNC(t_enter)
	push	%rbp
	mov	%rsp, %rbp
	call	t_inside
	add	$1000, %rax
	pop	%rbp
	T_RET
END(t_enter)

/* The word at the stack pointer: the return address that the stack shows. */
FUNC(t_whence)
	mov	(%rsp), %rax
	T_RET
END(t_whence)

/* By itself: a kernel's return thunk may change flags, where it counts calls. */
FUNC(t_quiet)
	nop
	ret
END(t_quiet)

/* Calls t_quiet: 0, or a bit for each register that changed. */
FUNC(t_caller)
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%r15
	mov	$1, %eax
	mov	$2, %ebx
	mov	$3, %ecx
	mov	$4, %edx
	mov	$5, %esi
	mov	$6, %edi
	mov	$7, %r8d
	mov	$8, %r9d
	mov	$9, %r10d
	mov	$10, %r11d
	mov	$11, %r12d
	mov	$12, %r13d
	mov	$13, %r14d
	mov	$14, %r15d
	stc
	call	t_quiet
	/* lea and mov leave the flags alone. */
	lea	-1(%rax), %rax
	lea	-2(%rbx), %rbx
	lea	-3(%rcx), %rcx
	lea	-4(%rdx), %rdx
	lea	-5(%rsi), %rsi
	lea	-6(%rdi), %rdi
	lea	-7(%r8), %r8
	lea	-8(%r9), %r9
	lea	-9(%r10), %r10
	lea	-10(%r11), %r11
	lea	-11(%r12), %r12
	lea	-12(%r13), %r13
	lea	-13(%r14), %r14
	lea	-14(%r15), %r15
	jc	1f
	bts	$32, %rax
1:	or	%rbx, %rax
	or	%rcx, %rax
	or	%rdx, %rax
	or	%rsi, %rax
	or	%rdi, %rax
	or	%r8, %rax
	or	%r9, %rax
	or	%r10, %rax
	or	%r11, %rax
	or	%r12, %rax
	or	%r13, %rax
	or	%r14, %rax
	or	%r15, %rax
	pop	%r15
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	T_RET
END(t_caller)

/*
 * long t_again(void): t_whence returns twice, the second time by hand to where
 * it returned to the first time; how often it did.
 */
FUNC(t_again)
	push	%rbx
	xor	%ebx, %ebx
	call	t_whence
	add	$1, %rbx
	cmp	$2, %rbx
	je	1f
	push	%rax
	T_RET
1:	mov	%rbx, %rax
	pop	%rbx
	T_RET
END(t_again)

/* What a compiler moved away from t_part; objtool wants to see that, too. */
FUNC(t_part)
	jmp	t_part.cold
END(t_part)

	.type	t_part.cold, @function
	.globl	t_part.cold
t_part.cold:
	nop
	T_RET
	.size	t_part.cold, . - t_part.cold

	.section .note.GNU-stack, "", @progbits
