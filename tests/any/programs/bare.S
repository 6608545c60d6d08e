/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bare.S - a program without any C library, and without a return from signal handlers.  SIGTERM is
 * blocked, and looked for: then it writes what work.c prints, in words of 8 bytes.
 */
	.globl	_start, work
	.type	work, @function
work:	incq	counter(%rip)
	lea	1(%rdi,%rdi,2), %rax
	ret
	.size	work, . - work

	.type	_start, @function
_start:	mov	$14, %eax		/* rt_sigprocmask(SIG_BLOCK, &term) */
	xor	%edi, %edi
	lea	term(%rip), %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	xor	%ebx, %ebx
1:	mov	%ebx, %edi
	and	$7, %edi
	lea	1(%rdi,%rdi,2), %r12
	call	work
	cmp	%rax, %r12
	je	2f
	incq	wrong(%rip)
2:	inc	%rbx
	mov	%rbx, calls(%rip)
	cmpq	$1, (%rsp)		/* an argument: 200 calls, at once */
	je	3f
	cmp	$200, %rbx
	jb	1b
	jmp	4f
3:
	mov	$128, %eax		/* rt_sigtimedwait(&term, NULL, &millisecond) */
	lea	term(%rip), %rdi
	xor	%esi, %esi
	lea	wait(%rip), %rdx
	mov	$8, %r10d
	syscall
	cmp	$15, %eax
	jne	1b
4:	mov	$1, %eax		/* write(1, calls) */
	mov	$1, %edi
	lea	calls(%rip), %rsi
	mov	$24, %edx
	syscall
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.size	_start, . - _start

	.data
wait:	.quad	0, 1000000
term:	.quad	1 << 14
calls:	.quad	0
counter: .quad	0
wrong:	.quad	0
	.section .note.GNU-stack, "", @progbits
