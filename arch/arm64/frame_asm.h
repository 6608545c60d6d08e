/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_asm.h - the frame of a hit that is no trap.
 *
 * Owns: where what is, from the stack pointer on, and the moves of all registers to and
 * from there.  Included by C, too, which asserts the struct's offsets (regs.h).
 *
 *   0       x29, x30: the head, slot or stub has pushed them, as every function does
 *   16      struct pt_regs
 *   288     the probe's address, for unwinders
 *   296     the vector registers' image (vectors_entry.S), or 0
 *   304     where to go on, in the head or slot
 *   312     the site
 *   320     the probed code's stack
 *
 * A return's has no site.  It keeps what the caller relies on, for when a handler has to
 * be abandoned; its stack begins at 496.
 *
 *   320     x0 to x7, x19 to x29, sp, pstate
 */
#ifndef KP_ARM64_FRAME_ASM_H
#define KP_ARM64_FRAME_ASM_H

#define FRAME_REGS	16
#define FRAME_X(n)	(FRAME_REGS + 8 * (n))
#define FRAME_SP	264
#define FRAME_PC	272
#define FRAME_PSTATE	280
#define FRAME_SHOWN	288
#define FRAME_IMAGE	296
#define FRAME_BACK	304
#define FRAME_SITE	312
#define FRAME_LEN	320

#define KEPT_X0		320
#define KEPT_X19	384
#define KEPT_SP		472
#define KEPT_PSTATE	480
#define RETURN_LEN	496

#ifdef __ASSEMBLER__

/* All but x16 and x17, x28 and those behind it. */
.macro	general_pairs what
	\what	x0, x1, [sp, #FRAME_X(0)]
	\what	x2, x3, [sp, #FRAME_X(2)]
	\what	x4, x5, [sp, #FRAME_X(4)]
	\what	x6, x7, [sp, #FRAME_X(6)]
	\what	x8, x9, [sp, #FRAME_X(8)]
	\what	x10, x11, [sp, #FRAME_X(10)]
	\what	x12, x13, [sp, #FRAME_X(12)]
	\what	x14, x15, [sp, #FRAME_X(14)]
	\what	x18, x19, [sp, #FRAME_X(18)]
	\what	x20, x21, [sp, #FRAME_X(20)]
	\what	x22, x23, [sp, #FRAME_X(22)]
	\what	x24, x25, [sp, #FRAME_X(24)]
	\what	x26, x27, [sp, #FRAME_X(26)]
.endm

/* All but x16 and x17; x29 and x30, which stand at sp, too. */
.macro	store_general
	general_pairs stp
	str	x28, [sp, #FRAME_X(28)]
	ldp	x0, x1, [sp]
	stp	x0, x1, [sp, #FRAME_X(29)]
.endm

/* All but x29 and x30. */
.macro	load_general
	general_pairs ldp
	ldp	x16, x17, [sp, #FRAME_X(16)]
	ldr	x28, [sp, #FRAME_X(28)]
.endm

/* Where a frame at x19, whose caller's stack is at top, has its registers. */
.macro	describe top
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	KP_CFI(.cfi_offset \n, FRAME_X(\n) - \top)
	.endr
.endm

#endif

#endif
