/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symbols.S - a program with 10,000 functions, for start.c.
 *
 * Owns: bench_function_0 to _9999 and the table of where they start.  They begin
 * as functions do that compilers make; every second one is local, as static ones
 * are.
 */
	.altmacro

	.macro begin number
	.section .data.rel.ro, "aw", @progbits
	.quad bench_function_\number
	.text
	.p2align 4
	.type bench_function_\number, @function
bench_function_\number:
	.cfi_startproc
	.endm

	.macro end number
	ret
	.cfi_endproc
	.size bench_function_\number, . - bench_function_\number
	.endm

	.macro frame number
	.globl bench_function_\number
	begin \number
	push	%rbp				/* 1 byte */
	mov	%rsp, %rbp
	mov	%edi, -4(%rbp)
	mov	-4(%rbp), %eax
	pop	%rbp
	end \number
	.endm

	.macro stack number
	begin \number
	sub	$24, %rsp			/* 4 bytes */
	mov	%edi, %eax
	mov	%rax, 8(%rsp)
	add	$24, %rsp
	end \number
	.endm

	.macro saves number
	.globl bench_function_\number
	begin \number
	push	%r12				/* 2 bytes */
	mov	%rdi, %r12
	lea	1(%r12), %rax
	cmp	$100, %rax
	jne	1f
	xor	%eax, %eax
1:	pop	%r12
	end \number
	.endm

	.macro loads number
	begin \number
	lea	bench_functions(%rip), %rax	/* 7 bytes */
	mov	(%rax,%rdi,8), %rax
	end \number
	.endm

	.macro checks number
	.globl bench_function_\number
	begin \number
	endbr64					/* 4 bytes, passed over */
	test	%edi, %edi			/* 2 bytes */
	je	1f
	mov	%edi, %eax
	imul	%esi, %eax
	ret
1:	xor	%eax, %eax
	end \number
	.endm

	.macro five a, b, c, d, e
	frame \a
	stack \b
	saves \c
	loads \d
	checks \e
	.endm

	.section .data.rel.ro, "aw", @progbits
	.p2align 3
	.globl bench_functions
	.type bench_functions, @object
bench_functions:

	.set number, 0
	.rept 2000
	five %number, %(number+1), %(number+2), %(number+3), %(number+4)
	.set number, number + 5
	.endr

	.section .data.rel.ro, "aw", @progbits
	.size bench_functions, . - bench_functions

	.section .note.GNU-stack, "", @progbits
