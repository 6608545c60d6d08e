/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_asm.h - the frame of a hit that is no trap.
 *
 * Owns: where what is, from the stack pointer on, and the moves of all registers to and
 * from there.  Included by C, too, which asserts the struct's offsets (frame.c).
 *
 *   0       struct pt_regs; the head or slot has put ra there
 *   288     the probe's address, for unwinders
 *   296     the image of other registers (vectors_entry.S), or 0
 *   304     where to go on, in the head or slot
 *   312     the site
 *   320     the probed code's stack
 *
 * A return's has no site.  It keeps what the caller relies on, for when a handler has to be
 * abandoned; its stack begins at 480.
 *
 *   288     a0 to a7, s0 to s11, gp, tp
 *   464     s0, and where the stub was: what unwinders that go by s0 look for
 */
#ifndef KP_RISCV64_FRAME_ASM_H
#define KP_RISCV64_FRAME_ASM_H

#define FRAME_PC	0
#define FRAME_X(n)	(8 * (n))	/* n is not 0 */
#define FRAME_STATUS	256
#define FRAME_BADADDR	264
#define FRAME_CAUSE	272
#define FRAME_ORIG_A0	280
#define FRAME_SHOWN	288
#define FRAME_IMAGE	296
#define FRAME_BACK	304
#define FRAME_SITE	312
#define FRAME_LEN	320

#define FRAME_KEPT	288
#define RETURN_LEN	480

#ifdef __ASSEMBLER__

/* All but ra, sp, x5 and those that are kept. */
.macro	each_other op
	.irp	n, 6, 7, 28, 29, 30, 31
	\op	x\n, FRAME_X(\n)(sp)
	.endr
.endm

/* All but ra, sp and x6, which a hub may have taken. */
.macro	each_general op
	.irp	n, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\op	x\n, FRAME_X(\n)(sp)
	.endr
.endm

/* Where a frame at s1, whose caller's stack is at top, has its registers. */
.macro	describe top
	.irp	n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	KP_CFI(.cfi_offset \n, FRAME_X(\n) - \top)
	.endr
.endm

/* op register, its place in struct pt_regs, where it is kept. */
.macro	each_kept op
	.set	kept, FRAME_KEPT
	.irp	n, 10, 11, 12, 13, 14, 15, 16, 17, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 3, 4
	\op	x\n, FRAME_X(\n), kept
	.set	kept, kept + 8
	.endr
.endm
.macro	store_both reg, at, kept_at
	sd	\reg, \at(sp)
	sd	\reg, \kept_at(sp)
.endm
.macro	load_one reg, at, kept_at
	ld	\reg, \at(sp)
.endm
.macro	put_back reg, at, kept_at
	ld	t0, \kept_at(sp)
	sd	t0, \at(sp)
.endm

#endif

#endif
