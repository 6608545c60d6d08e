/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_frames.h - frames of the stack on arm.
 *
 * Owns: where a frame's record is in a process, of A32: Thumb's frame pointer leads to none.
 * In the kernel they are found by tables.  No locks; any context of a handler.
 */
#ifndef KT_FRAMES_H
#define KT_FRAMES_H

#include "shared/risc/follow.h"

#define KT_FRAMES_RECORD 4		/* below the frame pointer */

static inline u64 kt_frames_fp(const struct pt_regs *regs)
{
	return thumb_mode(regs) ? 0 : regs->ARM_fp;
}

static inline u64 kt_frames_link(const struct pt_regs *regs)
{
	return regs->ARM_lr;
}

static inline bool kt_frames_is_leaf(u64 fp, u64 second)
{
	return kt_is_saved_alone(fp, second);
}

static inline bool kt_frames_foreign(const struct pt_regs *regs)
{
	return false;
}

/* Without what says Thumb; where a watched call comes back to in truth. */
static inline u64 kt_frames_address(u64 word, bool user)
{
	return user ? word & ~1ull : kprobes_original_address(word);
}

/* What was interrupted holds no lock that is taken with interrupts off. */
static inline bool kt_frames_free(const struct pt_regs *regs)
{
	return interrupts_enabled(regs);
}

#endif
