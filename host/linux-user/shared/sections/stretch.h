/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stretch.h - a stretch of code in which the numbers of system calls are looked for.
 *
 * Owns: its branches' targets, and what section.c asks numbers.c of the processor about it.
 *
 * Locks: the registry lock.
 */
#ifndef KP_USER_STRETCH_H
#define KP_USER_STRETCH_H

#include "numbers.h"

struct kp_stretch {
	uintptr_t start, end;		/* none: both are 0 */
	uint8_t *targets;		/* of branches: a bit for each KP_CODE_UNIT; or NULL */
	/*
	 * What numbers.c has read so far: up to where, where the number is set that holds now,
	 * or 0, and the last jump to anywhere.
	 */
	uintptr_t at, set, astray;
	unsigned long nr;
};

static inline bool kp_stretch_is_target(const struct kp_stretch *code, uintptr_t addr)
{
	uintptr_t nth = (addr - code->start) / KP_CODE_UNIT;

	return code->targets[nth / 8] >> nth % 8 & 1;
}

/* ---- the processor's ------------------------------------------------------------------ */

/* The length of the instruction at at.  *to: where it branches or jumps, if it names that; else 0. */
unsigned int kp_stretch_step(uintptr_t at, uintptr_t *to);
/* near: so close a jump to anywhere may be one of the same function. */
enum kp_number kp_stretch_number(struct kp_stretch *code, uintptr_t call, uintptr_t near,
				 unsigned long *nr);

#endif
