/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.S - the instructions of the process host that cannot be C.
 *
 * Owns: the copy that may fault, whose range copy.c knows, a call on another stack, a
 * system call that is led aside, and the beginning of a thread of ours.
 */
	.section .text.kp_trap, "ax", @progbits

	.macro	function name
	.p2align 4
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.endm
	.macro	place name
	.globl	\name
	.hidden	\name
\name:
	.endm

/* int kp_user_copy(void *dst, const void *src, size_t len): 0 or -EFAULT. */
	function kp_user_copy
	.cfi_startproc
	push	%esi
	.cfi_def_cfa_offset 8
	.cfi_offset esi, -8
	push	%edi
	.cfi_def_cfa_offset 12
	.cfi_offset edi, -12
	mov	12(%esp), %edi
	mov	16(%esp), %esi
	mov	20(%esp), %ecx
	cmp	$4, %ecx
	jne	1f
place kp_user_copy_begin
	mov	(%esi), %eax		/* a word: one access */
	mov	%eax, (%edi)
	jmp	2f
1:	mov	%ecx, %edx
	shr	$2, %ecx
	rep movsl
	mov	%edx, %ecx
	and	$3, %ecx
	rep movsb			/* one byte: one access */
2:	xor	%eax, %eax
place kp_user_copy_end
3:	pop	%edi
	pop	%esi
	ret
place kp_user_copy_failed
	mov	$-14, %eax
	jmp	3b
	.cfi_endproc
	.size	kp_user_copy, . - kp_user_copy

/* void kp_user_call_on(uintptr_t sp, void (*fn)(void *arg), void *arg) */
	function kp_user_call_on
	.cfi_startproc
	push	%ebp
	.cfi_def_cfa_offset 8
	.cfi_offset ebp, -8
	mov	%esp, %ebp
	.cfi_def_cfa_register ebp
	mov	8(%ebp), %esp
	and	$-16, %esp
	sub	$12, %esp
	push	16(%ebp)
	call	*12(%ebp)
	leave
	.cfi_def_cfa esp, 4
	ret
	.cfi_endproc
	.size	kp_user_call_on, . - kp_user_call_on

/* A system call that was led here (passage.c); the breakpoint is served there. */
	function kp_user_passage_call
	int	$0x80
place kp_user_passage_end
	int3
	.size	kp_user_passage_call, . - kp_user_passage_call

/*
 * long kp_user_clone(flags, stack, tid, fn, arg): a thread that begins with fn(arg), which
 * never returns.  The kernel stores its number at tid, and 0 when it ends.  No C library:
 * writer.c says why.
 */
	function kp_user_clone
	.cfi_startproc
	push	%ebx
	.cfi_def_cfa_offset 8
	.cfi_offset ebx, -8
	push	%esi
	.cfi_def_cfa_offset 12
	.cfi_offset esi, -12
	push	%edi
	.cfi_def_cfa_offset 16
	.cfi_offset edi, -16
	mov	16(%esp), %ebx
	mov	20(%esp), %ecx
	mov	24(%esp), %edx
	mov	%edx, %edi		/* where the 0 goes */
	xor	%esi, %esi
	/* For the child, on its stack. */
	and	$-16, %ecx
	mov	32(%esp), %eax
	mov	%eax, -16(%ecx)
	mov	28(%esp), %eax
	mov	%eax, -20(%ecx)
	sub	$20, %ecx
	mov	$120, %eax
	int	$0x80
	test	%eax, %eax
	jz	1f
	pop	%edi
	.cfi_def_cfa_offset 12
	pop	%esi
	.cfi_def_cfa_offset 8
	pop	%ebx
	.cfi_def_cfa_offset 4
	ret
	.cfi_undefined eip		/* nobody called the thread */
1:	xor	%ebp, %ebp
	pop	%eax
	call	*%eax
	ud2
	.cfi_endproc
	.size	kp_user_clone, . - kp_user_clone

	.section .note.GNU-stack, "", @progbits
