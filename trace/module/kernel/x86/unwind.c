// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the stacks of a hit.
 *
 * Owns: the way from a hit's registers outward.  In the kernel it is the kernel's own
 * unwinder, which sees through return probes (host/linux-kernel/x86/backtrace.c); in the
 * process it is frame pointers, from where it entered the kernel.
 *
 * Invariant: the frames begin with the probed place, and none is the engine's or
 * this module's.
 *
 * No locks; any context of a handler.
 */
#include <linux/sched/task_stack.h>
#include <asm/unwind.h>
#include "kt_host.h"

u32 kt_unwind_kernel(const struct kt_hit *hit, u64 *frames, u32 room)
{
	struct pt_regs *regs = hit->regs;
	unsigned long ip = regs->ip;
	struct unwind_state state;
	u32 nr = 0;

	/* A sample may find a process at work. */
	if (user_mode(regs))
		return 0;
	/* The unwinder has a rule for the probed instruction, not for its middle. */
	regs->ip = kt_host_ip(hit);
	frames[nr++] = regs->ip;
	/* It begins with the caller. */
	for (unwind_start(&state, current, regs, NULL);
	     nr < room && !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		frames[nr++] = addr;
	}
	regs->ip = ip;
	return nr;
}

u32 kt_unwind_user(u64 *frames, u32 room)
{
	const struct pt_regs *regs = task_pt_regs(current);
	struct {
		u64 bp, ip;
	} frame = { .bp = regs->bp };
	u64 below;
	u32 nr = 0;

	if (!current->mm || (current->flags & PF_KTHREAD) ||
	    !user_64bit_mode((struct pt_regs *)regs))
		return 0;
	frames[nr++] = regs->ip;
	while (nr < room) {
		below = frame.bp;
		if (!below || (below & 7) ||
		    kt_host_read_user(&frame, below, sizeof(frame)) || !frame.ip)
			break;
		frames[nr++] = frame.ip;
		/* Stacks grow downward: a caller's frame is above. */
		if (frame.bp <= below)
			break;
	}
	return nr;
}
