/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intact.S - a machine state in, probed instructions that change nothing, the state out.
 *
 * Owns: t_intact(in, out), struct t_state of intact.c, and the places to probe.  Between
 * loading and storing nothing touches a flag.
 */
#include "functions.h"

#define FLAGS 32
#define ABOVE 36

.macro	place name
	.globl	\name
\name:
.endm

FUNC(t_intact)
	push	%ebp
	push	%ebx
	push	%esi
	push	%edi
	arg	2, %edx, 16
	mov	%edx, t_intact_out
	arg	1, %edi, 16
	.irp	n, 0, 4, 8, 12
	push	ABOVE + \n(%edi)
	.endr
	mov	%esp, t_intact_sp
	push	FLAGS(%edi)
	popf
	mov	0(%edi), %eax
	mov	4(%edi), %ecx
	mov	8(%edi), %edx
	mov	12(%edi), %ebx
	mov	20(%edi), %ebp
	mov	24(%edi), %esi
	mov	28(%edi), %edi
place t_intact_7
	.byte	0x8d, 0x84, 0x20, 0, 0, 0, 0	/* lea 0(%eax), %eax */
	nop
place t_intact_3
	lea.d8	0(%edx), %edx
	mov	%ecx, %ecx
	nop
place t_intact_1
	nop
	mov	%esi, %esi
	mov	%ebx, %ebx
	nop
place t_intact_jmp
	jmp	1f
	lea.d8	0(%esi), %esi
1:	mov	%edi, t_intact_rdi
	mov	t_intact_out, %edi
	mov	%eax, 0(%edi)
	mov	%ecx, 4(%edi)
	mov	%edx, 8(%edi)
	mov	%ebx, 12(%edi)
	mov	%esp, 16(%edi)
	mov	%ebp, 20(%edi)
	mov	%esi, 24(%edi)
	mov	t_intact_rdi, %eax
	mov	%eax, 28(%edi)
	mov	t_intact_sp, %esp
	pushf
	pop	FLAGS(%edi)
	cld
	.irp	n, 12, 8, 4, 0
	pop	ABOVE + \n(%edi)
	.endr
	pop	%edi
	pop	%esi
	pop	%ebx
	pop	%ebp
	ret
END(t_intact)

	.section .note.GNU-stack, "", @progbits
