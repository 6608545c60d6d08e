/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pair.S - two bytes that follow each other, in megabytes of text.
 *
 * Owns: the search, 32 places at a time.  It uses vector registers, which the
 * rest of the host is compiled without: only for who is called as a function is.
 */
	.text

/*
 * const uint8_t *kp_user_find_pair(const uint8_t *p, const uint8_t *end,
 *				    unsigned int first, unsigned int second):
 * the first place in [p, end - 1), or end.
 */
	.globl	kp_user_find_pair
	.hidden	kp_user_find_pair
	.type	kp_user_find_pair, @function
	.p2align 4
kp_user_find_pair:
	.cfi_startproc
	movd	%edx, %xmm0		/* 16 times the first byte */
	punpcklbw %xmm0, %xmm0
	pshuflw	$0, %xmm0, %xmm0
	punpcklqdq %xmm0, %xmm0
	movd	%ecx, %xmm1		/* and the second */
	punpcklbw %xmm1, %xmm1
	pshuflw	$0, %xmm1, %xmm1
	punpcklqdq %xmm1, %xmm1
	movq	%rsi, %rax
	subq	%rdi, %rax
	jbe	5f
	.p2align 4
1:	subq	$32, %rax		/* 33 bytes are read */
	jbe	3f
	movdqu	(%rdi), %xmm2
	movdqu	1(%rdi), %xmm3
	movdqu	16(%rdi), %xmm4
	movdqu	17(%rdi), %xmm5
	pcmpeqb	%xmm0, %xmm2
	pcmpeqb	%xmm1, %xmm3
	pcmpeqb	%xmm0, %xmm4
	pcmpeqb	%xmm1, %xmm5
	pand	%xmm3, %xmm2
	pand	%xmm5, %xmm4
	movdqa	%xmm2, %xmm3
	por	%xmm4, %xmm3
	pmovmskb %xmm3, %r8d
	addq	$32, %rdi
	testl	%r8d, %r8d
	jz	1b
	pmovmskb %xmm2, %eax
	pmovmskb %xmm4, %r8d
	shll	$16, %r8d
	orl	%r8d, %eax
	bsfl	%eax, %eax
	leaq	-32(%rdi,%rax), %rax
	ret
3:	leaq	1(%rdi), %rax		/* the rest, one by one */
	cmpq	%rsi, %rax
	jae	5f
	cmpb	%dl, (%rdi)
	jne	4f
	cmpb	%cl, (%rax)
	je	6f
4:	movq	%rax, %rdi
	jmp	3b
5:	movq	%rsi, %rax
	ret
6:	movq	%rdi, %rax
	ret
	.cfi_endproc
	.size	kp_user_find_pair, . - kp_user_find_pair

	.section .note.GNU-stack, "", @progbits
