/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_asm.h - the frame of a return or of a hit through a jump, which are no traps.
 *
 * Owns: where what is, and the pushes that make it.  Included by C, too, which asserts the
 * struct's offsets (frame.c).
 *
 *   72      the caller's stack
 *   68      in: address in the stub, head or slot; out: where to continue
 *   0       struct pt_regs
 *
 * Of a hit, below it:
 *   -4      the probe's address, for unwinders
 *   -8      the vector registers, a struct kp_arch_vectors; or 0
 *
 * Of a return:
 *   -28     what a caller relies on, for when a handler has to be abandoned: eax, edx,
 *           ebx, ebp, esi, edi, flags, downwards
 */
#ifndef KP_I386_FRAME_ASM_H
#define KP_I386_FRAME_ASM_H

#define FRAME_BX	0
#define FRAME_CX	4
#define FRAME_DX	8
#define FRAME_SI	12
#define FRAME_DI	16
#define FRAME_BP	20
#define FRAME_AX	24
#define FRAME_DS	28
#define FRAME_IP	48
#define FRAME_FLAGS	56
#define FRAME_SP	60
#define FRAME_SS	64
#define FRAME_RA	68
#define FRAME_STACK	72
#define KEPT_LEN	28
#define FRAME_SHOWN	-4
#define FRAME_IMAGE	-8

/* What C code must not find set: TF, DF, NT, AC, ID. */
#define FRAME_UNUSUAL	0x244500
#define FRAME_OF	0x800

#ifdef __ASSEMBLER__

/* From FRAME_RA, or from where a head has come, to the whole frame at esp. */
.macro	push_machine
	push	%ss
	push	%esp
	pushf
	push	%cs
.endm
.macro	push_general
	push	$-1
	.irp	reg, gs, fs, es, ds, eax, ebp, edi, esi, edx, ecx, ebx
	push	%\reg
	.endr
	/* As pushed, it was where ss stands. */
	addl	$FRAME_STACK - FRAME_SS, FRAME_SP(%esp)
.endm

/* The flags that C code expects; the frame is at ebx. */
.macro	usual_flags
	testl	$FRAME_UNUSUAL, FRAME_FLAGS(%ebx)
	jz	usual\@
	push	FRAME_FLAGS(%ebx)
	andl	$~FRAME_UNUSUAL, (%esp)
	popf
usual\@:
.endm

/* All but flags and the stack pointer of the frame at ebx; esp is behind them then. */
.macro	pop_general
	mov	%ebx, %esp
	.irp	reg, ebx, ecx, edx, esi, edi, ebp, eax
	pop	%\reg
	.endr
.endm

/* A function of C, with the frame at ebx; esp is on a boundary of 16. */
.macro	call_with_frame function
#if KP_REGPARM
	mov	%ebx, %eax
#else
	sub	$12, %esp
	push	%ebx
#endif
	call	\function
.endm

/* op the place in struct pt_regs, in the order in which they are kept. */
.macro	each_kept op
	.set	kept, 1
	.irp	at, FRAME_AX, FRAME_DX, FRAME_BX, FRAME_BP, FRAME_SI, FRAME_DI, FRAME_FLAGS
	\op	\at, -4*kept
	.set	kept, kept + 1
	.endr
.endm
.macro	keep_word at, kept_at
	push	\at(%ebx)
.endm
.macro	put_back at, kept_at
	mov	\kept_at(%ebx), %eax
	mov	%eax, \at(%ebx)
.endm

#endif

#endif
