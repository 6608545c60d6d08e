/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal.S - where signal handlers begin and return.
 *
 * Owns: the call of a handler without SA_SIGINFO; the returns from handlers, ours and the
 * program's, whose bytes unwinders and debuggers recognise.
 */
	.section .text.kp_trap, "ax", @progbits

	.macro	function name
	.p2align 4
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.endm

/*
 * void kp_user_call_plain(fn, words): a handler without SA_SIGINFO, as the kernel calls it:
 * 23 words, the signal's number and the registers, are its arguments, and what it makes of
 * them is in words then.
 */
	function kp_user_call_plain
	.cfi_startproc
	push	%ebp
	.cfi_def_cfa_offset 8
	.cfi_offset ebp, -8
	mov	%esp, %ebp
	.cfi_def_cfa_register ebp
	push	%esi
	.cfi_offset esi, -12
	push	%edi
	.cfi_offset edi, -16
	mov	12(%ebp), %esi
	sub	$96, %esp
	and	$-16, %esp
	mov	%esp, %edi
	mov	$23, %ecx
	rep movsl
	call	*8(%ebp)
	mov	%esp, %esi
	mov	12(%ebp), %edi
	mov	$23, %ecx
	rep movsl
	lea	-8(%ebp), %esp
	pop	%edi
	pop	%esi
	leave
	.cfi_def_cfa esp, 4
	ret
	.cfi_endproc
	.size	kp_user_call_plain, . - kp_user_call_plain

/* Exactly these bytes: mov $173, %eax; int $0x80. */
	.p2align 4
	nop				/* unwinders look at the byte before */
	.globl	kp_user_restorer
	.hidden	kp_user_restorer
	.type	kp_user_restorer, @function
kp_user_restorer:
	.byte	0xb8, 0xad, 0x00, 0x00, 0x00
	.byte	0xcd, 0x80
	.size	kp_user_restorer, . - kp_user_restorer

/*
 * Where the program's signal handlers return to: the mask in the frame may have been
 * changed (mask.c).  esp is at the handler's first argument.  There are two frames: with
 * SA_SIGINFO a ucontext, else the mask's first word stands by itself.
 */
#define HELD 0x4d8		/* KP_SIG_HELD */
#define UC 140
#define UC_MASK 108		/* mask.c asserts it */
#define OLD_MASK 84
	function kp_user_sigreturn
	testl	$HELD, UC + UC_MASK(%esp)
	jnz	2f
1:	.byte	0xb8, 0xad, 0x00, 0x00, 0x00
	.byte	0xcd, 0x80
2:	lea	UC(%esp), %eax
	sub	$12, %esp
	push	%eax
	call	kp_user_mask_returned
	add	$16, %esp
	jmp	1b
	.size	kp_user_sigreturn, . - kp_user_sigreturn

	function kp_user_sigreturn_old
	testl	$HELD, OLD_MASK(%esp)
	jnz	2f
	/* pop %eax; mov $119, %eax; int $0x80 */
1:	.byte	0x58, 0xb8, 0x77, 0x00, 0x00, 0x00
	.byte	0xcd, 0x80
2:	lea	OLD_MASK - UC_MASK(%esp), %eax
	sub	$12, %esp
	push	%eax
	call	kp_user_mask_returned
	add	$16, %esp
	jmp	1b
	.size	kp_user_sigreturn_old, . - kp_user_sigreturn_old

	.section .note.GNU-stack, "", @progbits
