/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_asm.h - the frame of a return, which is no trap.
 *
 * Owns: where what is, from the frame on, in words; and the moves of all registers to and
 * from there.  Included by C, too, which asserts the struct's offsets (frame.c).
 *
 *   0       struct pt_regs, of which the first eight are no registers on 32 bits
 *   38, 46  what the caller relies on, for when a handler has to be abandoned: v0 v1, s0 to
 *           s7, gp, s8
 *   50, 58  the caller's stack, but for what keeps that on its boundary
 */
#ifndef KP_MIPS_FRAME_ASM_H
#define KP_MIPS_FRAME_ASM_H

#include "asm.h"

#ifdef __mips64
#define FRAME_AT(n)	(LONG * (n))
#else
#define FRAME_AT(n)	(LONG * ((n) + 8))
#endif
#define FRAME_REG(n)	FRAME_AT(n)
#define FRAME_STATUS	FRAME_AT(32)
#define FRAME_HI	FRAME_AT(33)
#define FRAME_LO	FRAME_AT(34)
#define FRAME_BADVADDR	FRAME_AT(35)
#define FRAME_CAUSE	FRAME_AT(36)
#define FRAME_EPC	FRAME_AT(37)
#define FRAME_KEPT	FRAME_AT(38)
#define RETURN_LEN	FRAME_AT(52)

#ifdef __ASSEMBLER__

/* All but at, sp, t9, ra, those that are kept, and the kernel's. */
.macro	each_other op
	.irp	n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24
	\op	$\n, FRAME_REG(\n)($29)
	.endr
.endm

/* op register, its place in struct pt_regs, where it is kept. */
.macro	each_kept op
	.set	kept, FRAME_KEPT
	.irp	n, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 28, 30
	\op	$\n, FRAME_REG(\n), kept
	.set	kept, kept + LONG
	.endr
.endm
.macro	store_both reg, at, kept_at
	STORE	\reg, \at($29)
	STORE	\reg, \kept_at($29)
.endm
.macro	load_one reg, at, kept_at
	LOAD	\reg, \at($29)
.endm
.macro	put_back reg, at, kept_at
	LOAD	$2, \kept_at($29)
	STORE	$2, \at($29)
.endm

#endif

#endif
