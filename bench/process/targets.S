/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions to probe, one for each way to execute an instruction.
 *
 * Owns: what stands at the probed entry.  Each returns its argument plus one.
 */
	.text

	.macro target name
	.p2align 5
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm

	.macro end name
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

target bench_long
	{disp32} lea 1(%rdi), %rax		/* 7 bytes */
	nopl	0(%rax,%rax,1)
end bench_long

/* The same again, for threads that have one each. */
	.irp	n, 0, 1, 2, 3
target bench_lane\n
	{disp32} lea 1(%rdi), %rax
	nopl	0(%rax,%rax,1)
end bench_lane\n
	.endr

target bench_short
	mov	%rdi, %rax			/* 3 bytes */
	add	$1, %rax
end bench_short

target bench_push
	push	%rbp				/* 1 byte */
	.cfi_adjust_cfa_offset 8
	mov	%rsp, %rbp
	lea	1(%rdi), %rax
	pop	%rbp
	.cfi_adjust_cfa_offset -8
end bench_push

target bench_branch
	jmp	1f				/* 2 bytes */
	nop
1:	lea	1(%rdi), %rax
end bench_branch

target bench_four
	lea	1(%rdi), %rax			/* 4 bytes */
	nop
	nop
	nop
end bench_four

/* Many places to probe: 7 bytes each, %rax counts them. */
target bench_field
	xor	%eax, %eax
	.rept	131072
	{disp32} lea 1(%rax), %rax
	.endr
end bench_field

	.section .note.GNU-stack, "", @progbits
