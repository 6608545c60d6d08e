/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_frames.h - frames of the stack on riscv64.
 *
 * Owns: where a frame's record is, and what a call looks like.  No locks; any context of
 * a handler.
 */
#ifndef KT_FRAMES_H
#define KT_FRAMES_H

#include "shared/risc/follow.h"

#define KT_FRAMES_RECORD 16		/* below the frame pointer */

static inline u64 kt_frames_fp(const struct pt_regs *regs)
{
	return regs->s0;
}

static inline u64 kt_frames_link(const struct pt_regs *regs)
{
	return regs->ra;
}

static inline bool kt_frames_is_leaf(u64 fp, u64 second)
{
	return kt_is_saved_alone(fp, second);
}

/* Processes of 32 bits are none of this kernel's. */
static inline bool kt_frames_foreign(const struct pt_regs *regs)
{
	return false;
}

/* Where a watched call comes back to in truth. */
static inline u64 kt_frames_address(u64 word, bool user)
{
	return user ? word : kprobes_original_address(word);
}

/*
 * Is there code before link?  *target: what it calls, where that is not in a register: by
 * jal ra, or by auipc ra and jalr ra.
 */
static inline bool kt_frames_called(u64 link, u64 *target)
{
	u16 half[4];
	u32 last, first;

	if (kt_host_read_kernel(half, link - sizeof(half), sizeof(half)))
		return false;
	first = half[0] | (u32)half[1] << 16;
	last = half[2] | (u32)half[3] << 16;
	if ((last & 0xfff) == 0x0ef)
		*target = link - 4 + ((s64)((s32)last >> 31) << 20 | (last & 0xff000) |
				      (last >> 9 & 0x800) | (last >> 20 & 0x7fe));
	else if ((first & 0xfff) == 0x097 && (last & 0xfffff) == 0x080e7)
		*target = link - 8 + (s32)(first & ~0xfffu) + ((s32)last >> 20);
	return true;
}

#endif
