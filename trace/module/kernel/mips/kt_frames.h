/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_frames.h - frames of the stack on MIPS.
 *
 * Owns: that a process's are not followed: its functions keep their callers' registers where
 * nothing tells but a debugger's tables.  In the kernel they are found by what functions
 * begin with.  No locks; any context of a handler.
 */
#ifndef KT_FRAMES_H
#define KT_FRAMES_H

#define KT_FRAMES_RECORD 0

static inline u64 kt_frames_fp(const struct pt_regs *regs)
{
	return 0;
}

static inline u64 kt_frames_link(const struct pt_regs *regs)
{
	return regs->regs[31];
}

static inline bool kt_frames_is_leaf(u64 fp, u64 second)
{
	return false;
}

static inline bool kt_frames_foreign(const struct pt_regs *regs)
{
	return false;
}

/* Where a watched call comes back to in truth. */
static inline u64 kt_frames_address(u64 word, bool user)
{
	return user ? word : kprobes_original_address(word);
}

/* No lock is taken for them. */
static inline bool kt_frames_free(const struct pt_regs *regs)
{
	return true;
}

#endif
