/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intact.S - a machine state in, probed instructions that change nothing, the
 * state out.
 *
 * Owns: t_intact(in, out), struct t_state of intact.c, and the places to probe.
 * Between loading and storing nothing touches a flag or the bytes below the
 * stack pointer, which are the red zone in a process.
 */
#ifdef __KERNEL__
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#define T_RET RET
#else
#define T_RET ret
#endif

#define FLAGS 128
#define RED 136
#define ABOVE 264

.macro	place name
	.globl	\name
\name:
.endm

.macro	red_zone from, from_off, to, to_off
	.set	i, 0
	.rept	16
	mov	\from_off + i(\from), %rax
	mov	%rax, \to_off + i(\to)
	.set	i, i + 8
	.endr
.endm

	.text
	.p2align 4
	.globl t_intact
	.type t_intact, @function
t_intact:
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsi, t_intact_out(%rip)
	push	ABOVE(%rdi)
	push	ABOVE + 8(%rdi)
	push	ABOVE + 16(%rdi)
	push	ABOVE + 24(%rdi)
	mov	%rsp, t_intact_sp(%rip)
	push	FLAGS(%rdi)
	popfq
#ifndef __KERNEL__
	red_zone %rdi, RED, %rsp, -128
#endif
	mov	0(%rdi), %rax
	mov	8(%rdi), %rcx
	mov	16(%rdi), %rdx
	mov	24(%rdi), %rbx
	mov	40(%rdi), %rbp
	mov	48(%rdi), %rsi
	mov	64(%rdi), %r8
	mov	72(%rdi), %r9
	mov	80(%rdi), %r10
	mov	88(%rdi), %r11
	mov	96(%rdi), %r12
	mov	104(%rdi), %r13
	mov	112(%rdi), %r14
	mov	120(%rdi), %r15
	mov	56(%rdi), %rdi
place t_intact_7
	.byte	0x48, 0x8d, 0x80, 0, 0, 0, 0	/* lea 0(%rax), %rax */
	nop
place t_intact_3
	mov	%rdx, %rdx
	mov	%rcx, %rcx
	nop
place t_intact_1
	nop
	mov	%rsi, %rsi
	mov	%r9, %r9
	nop
place t_intact_jmp
	jmp	1f
	nop
	nop
1:	mov	%rdi, t_intact_rdi(%rip)
	mov	t_intact_out(%rip), %rdi
	mov	%rax, 0(%rdi)
	mov	%rcx, 8(%rdi)
	mov	%rdx, 16(%rdi)
	mov	%rbx, 24(%rdi)
	mov	%rsp, 32(%rdi)
	mov	%rbp, 40(%rdi)
	mov	%rsi, 48(%rdi)
	mov	t_intact_rdi(%rip), %rax
	mov	%rax, 56(%rdi)
	mov	%r8, 64(%rdi)
	mov	%r9, 72(%rdi)
	mov	%r10, 80(%rdi)
	mov	%r11, 88(%rdi)
	mov	%r12, 96(%rdi)
	mov	%r13, 104(%rdi)
	mov	%r14, 112(%rdi)
	mov	%r15, 120(%rdi)
	mov	t_intact_sp(%rip), %rsp
#ifndef __KERNEL__
	red_zone %rsp, -128, %rdi, RED
#endif
	pushfq
	pop	FLAGS(%rdi)
	std			/* objtool: nobody clears what nobody set */
	cld
	pop	ABOVE + 24(%rdi)
	pop	ABOVE + 16(%rdi)
	pop	ABOVE + 8(%rdi)
	pop	ABOVE(%rdi)
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	T_RET
	.size t_intact, . - t_intact

#ifndef __KERNEL__
	.section .note.GNU-stack, "", @progbits
#endif
