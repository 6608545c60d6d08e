/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/arm64 read a struct kp_arch_probe.
 *
 * Owns: the forms, and what classify.c promises to outofline.c and trap.c about each of
 * them; what is needed to write A64 words.
 */
#ifndef KP_ARM64_PROBE_H
#define KP_ARM64_PROBE_H

#include "arch.h"
#include "regs.h"

/* What does the instruction's work in a slot; "next" follows unless said otherwise. */
enum kp_a64_form {
	KP_A64_COPY,		/* word */
	/* These are emulated; the form serves bodies of jumps, and faults. */
	KP_A64_NOTHING,		/* nop */
	KP_A64_ADDRESS,		/* ldr reg, =value */
	KP_A64_LOAD,		/* ldr reg, =value; word */
	KP_A64_JUMP,		/* b value */
	KP_A64_CALL,		/* ldr x30, =next; b value */
	KP_A64_BRANCH,		/* word, with an offset of 8; b next; b value */
	KP_A64_AWAY,		/* word, which goes elsewhere */
	KP_A64_CALL_REG,	/* ldr x30, =next; word, which goes elsewhere */
	KP_A64_NO_BODY,		/* word; nothing that does it elsewhere is known */
	/* This is not. */
	KP_A64_LOAD_SAVED,	/* push reg; ldr reg, =value; word; pop reg */
};

static inline uintptr_t kp_a64_next(const struct kp_arch_probe *ap)
{
	return ap->addr + KP_A64_LEN;
}

/* Does a b at from reach to? */
static inline bool kp_a64_reaches(uintptr_t from, uintptr_t to)
{
	return to - from + (1u << 27) < 1u << 28;
}

#define KP_A64_NOP 0xd503201fu

static inline uint32_t kp_a64_b(uintptr_t from, uintptr_t to)
{
	return 0x14000000u | (uint32_t)((to - from) >> 2 & 0x3ffffffu);
}

static inline uint32_t kp_a64_bl(uintptr_t from, uintptr_t to)
{
	return kp_a64_b(from, to) | 0x80000000u;
}

/* ldr xreg, . + off: off is a multiple of 4, and so need the address be. */
static inline uint32_t kp_a64_ldr(unsigned int reg, unsigned int off)
{
	return 0x58000000u | off / 4 << 5 | reg;
}

/*
 * The frame of a hit through a jump, or of a step's end, which frame_asm.h draws.
 *   stp x29, x30, [sp, #-FRAME]!
 *   ldp x29, x30, [sp], #FRAME
 */
#define KP_A64_FRAME		320
#define KP_A64_PUSH_FRAME	(0xa9800000u | ((-KP_A64_FRAME / 8) & 0x7fu) << 15 | \
				 30u << 10 | 31u << 5 | 29u)
#define KP_A64_POP_FRAME	(0xa8c00000u | (KP_A64_FRAME / 8) << 15 | \
				 30u << 10 | 31u << 5 | 29u)

#endif
