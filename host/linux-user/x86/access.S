/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.S - the instructions of the process host that cannot be C.
 *
 * Owns: the copy that may fault, whose range copy.c knows, a call on another stack, a
 * system call that is led aside, and the beginning of a thread of ours.
 */
	.section .text.kp_trap, "ax", @progbits

/* As many bytes as make up for what rep takes to begin. */
#define REP_PAYS 512

/* int kp_user_copy(void *dst, const void *src, size_t len): 0 or -EFAULT. */
	.globl	kp_user_copy
	.hidden	kp_user_copy
	.type	kp_user_copy, @function
	.p2align 4
kp_user_copy:
	.cfi_startproc
	cmpq	$8, %rdx
	jne	1f
	.globl	kp_user_copy_begin
	.hidden	kp_user_copy_begin
kp_user_copy_begin:
	movq	(%rsi), %rax		/* what hits read and write */
	movq	%rax, (%rdi)
	xorl	%eax, %eax
	ret
1:	cmpq	$REP_PAYS, %rdx
	jae	5f
	subq	$8, %rdx
	jb	3f
	subq	$24, %rdx
	jb	7f
2:	movq	(%rsi), %rax
	movq	8(%rsi), %rcx
	movq	16(%rsi), %r8
	movq	24(%rsi), %r9
	movq	%rax, (%rdi)
	movq	%rcx, 8(%rdi)
	movq	%r8, 16(%rdi)
	movq	%r9, 24(%rdi)
	addq	$32, %rsi
	addq	$32, %rdi
	subq	$32, %rdx
	jae	2b
7:	addq	$24, %rdx
	jnc	3f
8:	movq	(%rsi), %rax
	movq	%rax, (%rdi)
	addq	$8, %rsi
	addq	$8, %rdi
	subq	$8, %rdx
	jae	8b
3:	addq	$8, %rdx
	jz	6f
4:	movb	(%rsi), %al		/* one byte: one access */
	movb	%al, (%rdi)
	incq	%rsi
	incq	%rdi
	decq	%rdx
	jnz	4b
	jmp	6f
5:	movq	%rdx, %rcx
	rep movsb
6:	xorl	%eax, %eax
	.globl	kp_user_copy_end
	.hidden	kp_user_copy_end
kp_user_copy_end:
	ret
	.globl	kp_user_copy_failed
	.hidden	kp_user_copy_failed
kp_user_copy_failed:
	movl	$-14, %eax
	ret
	.cfi_endproc
	.size	kp_user_copy, . - kp_user_copy

/* void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg) */
	.globl	kp_user_call_on
	.hidden	kp_user_call_on
	.type	kp_user_call_on, @function
	.p2align 4
kp_user_call_on:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	mov	%rdi, %rsp
	mov	%rdx, %rdi
	call	*%rsi
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	kp_user_call_on, . - kp_user_call_on

/*
 * A system call that was led here (passage.c); the breakpoint is served there.
 */
	.globl	kp_user_passage_call
	.hidden	kp_user_passage_call
	.type	kp_user_passage_call, @function
	.p2align 4
kp_user_passage_call:
	syscall
	.globl	kp_user_passage_end
	.hidden	kp_user_passage_end
kp_user_passage_end:
	int3
	.size	kp_user_passage_call, . - kp_user_passage_call

/*
 * long kp_user_clone(flags, stack, tid, fn, arg): a thread that begins with
 * fn(arg), which never returns.  The kernel stores its number at tid, and 0
 * when it ends.  No C library: writer.c says why.
 */
	.globl	kp_user_clone
	.hidden	kp_user_clone
	.type	kp_user_clone, @function
	.p2align 4
kp_user_clone:
	.cfi_startproc
	movq	%rcx, %r9		/* syscall takes %rcx */
	movq	%rdx, %r10
	movl	$56, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
	.cfi_undefined %rip		/* nobody called the thread */
1:	xorl	%ebp, %ebp
	movq	%r8, %rdi
	call	*%r9
	ud2
	.cfi_endproc
	.size	kp_user_clone, . - kp_user_clone

	.section .note.GNU-stack, "", @progbits
