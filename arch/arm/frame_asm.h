/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_asm.h - the frames of returns and of hits through jumps, which are no traps.
 *
 * Owns: where what is, from the stack pointer on.  Included by C, too, which asserts the
 * struct's offsets (frame.c).
 *
 *   0       struct pt_regs
 *   72      r0 to r11, for when a handler has to be abandoned; at the end, where to continue
 *   120     the caller's stack
 */
#ifndef KP_ARM_FRAME_ASM_H
#define KP_ARM_FRAME_ASM_H

#define FRAME_SP	52
#define FRAME_LR	56
#define FRAME_PC	60
#define FRAME_CPSR	64
#define FRAME_ORIG_R0	68
#define FRAME_KEPT	72
#define KEPT_NR		12
/* A hit's; the head or slot has put lr there. */
#define FRAME_SHOWN	72	/* the probe's address */
#define FRAME_IMAGE	76	/* the image of other registers (vectors_entry.S), or 0 */
#define FRAME_SITE	80
#define FRAME_BACK	84	/* where to go on: as the head leads, at first */
#define DETOUR_LEN	88

/* struct kp_node: its real address is first; layout.h asserts it. */
#define NODE_FRAME	20
#define FRAME_TO	116
#define RETURN_LEN	120

#endif
