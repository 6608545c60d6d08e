/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * targets.S - functions to probe, one for each way to execute an instruction, on i386.
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
	inc	%eax
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

target bench_long
	{disp32} mov 4(%esp), %eax		/* 7 bytes */
end bench_long

target bench_short
	nopl	(%eax)				/* 3 bytes */
	mov	4(%esp), %eax
end bench_short

target bench_push
	push	%ebp				/* 1 byte */
	.cfi_adjust_cfa_offset 4
	mov	%esp, %ebp
	mov	8(%ebp), %eax
	pop	%ebp
	.cfi_adjust_cfa_offset -4
end bench_push

target bench_branch
	jmp	1f				/* 2 bytes */
	nop
1:	mov	4(%esp), %eax
end bench_branch

target bench_four
	mov	4(%esp), %eax			/* 4 bytes */
	nop
	nop
	nop
end bench_four

	.section .note.GNU-stack, "", @progbits
