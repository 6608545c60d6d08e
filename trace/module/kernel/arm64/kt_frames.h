/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_frames.h - frames of the stack on arm64.
 *
 * Owns: where a frame's record is, what an address in it is without its signature, and
 * what a call looks like.  No locks; any context of a handler.
 */
#ifndef KT_FRAMES_H
#define KT_FRAMES_H

#include <asm/memory.h>

#define KT_FRAMES_RECORD 0		/* below the frame pointer */

static inline u64 kt_frames_fp(const struct pt_regs *regs)
{
	return regs->regs[29];
}

static inline u64 kt_frames_link(const struct pt_regs *regs)
{
	return regs->regs[30];
}

/* All functions with a frame save both. */
static inline bool kt_frames_is_leaf(u64 fp, u64 second)
{
	return false;
}

/* A process of 32 bits has its frames elsewhere. */
static inline bool kt_frames_foreign(const struct pt_regs *regs)
{
	return compat_user_mode(regs);
}

/* Without the signature that it may have; where a watched call comes back to in truth. */
static inline u64 kt_frames_address(u64 word, bool user)
{
	u64 bits = (1ull << VA_BITS_MIN) - 1;

	return user ? word & bits : kprobes_original_address(word | ~bits);
}

/* Is there code before link?  *target: what it calls, where that is not in a register. */
static inline bool kt_frames_called(u64 link, u64 *target)
{
	u32 word;

	if (kt_host_read_kernel(&word, link - 4, sizeof(word)))
		return false;
	if (word >> 26 == 0x94000000 >> 26)
		*target = link - 4 + ((s64)((u64)word << 38) >> 36);
	return true;
}

#endif
