// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the stacks of a hit.
 *
 * Owns: the way from a hit's registers outward.  In the kernel it is the kernel's own
 * unwinder, which sees through return probes (host/linux-kernel/shared/x86/backtrace.c); in
 * the process it is frame pointers, from where it entered the kernel.
 *
 * Invariant: the frames begin with the probed place, and none is the engine's or
 * this module's.
 *
 * No locks; any context of a handler.
 */
#include <linux/sched/task_stack.h>
#include <asm/unwind.h>
#include <kprobes/control.h>
#include "kt_host.h"

/*
 * An unwinder that goes by frame pointers takes the first one for the hit function's, which
 * is its caller's still: then the return address is on the stack's top, and would be left
 * out.  0: not so.
 */
static unsigned long left_out(const struct kt_hit *hit)
{
	unsigned long word;

	if (!IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER) || !hit->begins ||
	    kt_host_read_kernel(&word, hit->regs->sp, sizeof(word)))
		return 0;
	return kprobes_original_address(word);
}

u32 kt_unwind_kernel(const struct kt_hit *hit, u64 *frames, u32 room)
{
	struct pt_regs *regs = hit->regs;
	unsigned long ip = regs->ip, caller;
	struct unwind_state state;
	u32 nr = 0;

	/* A sample may find a process at work. */
	if (user_mode(regs))
		return 0;
	/* The unwinder has a rule for the probed instruction, not for its middle. */
	regs->ip = kt_host_ip(hit);
	frames[nr++] = regs->ip;
	caller = left_out(hit);
	if (caller && nr < room)
		frames[nr++] = caller;
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

/* A process of 32 bits has its frames elsewhere where the kernel has 64. */
static bool is_foreign(struct pt_regs *regs)
{
	return IS_ENABLED(CONFIG_X86_64) && !user_64bit_mode(regs);
}

u32 kt_unwind_user(u64 *frames, u32 room)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct {
		unsigned long bp, ip;
	} frame = { .bp = regs->bp };
	unsigned long below;
	u32 nr = 0;

	if (!current->mm || (current->flags & PF_KTHREAD) || is_foreign(regs))
		return 0;
	frames[nr++] = regs->ip;
	while (nr < room) {
		below = frame.bp;
		if (!below || below % sizeof(long) ||
		    kt_host_read_user(&frame, below, sizeof(frame)) || !frame.ip)
			break;
		frames[nr++] = frame.ip;
		/* Stacks grow downward: a caller's frame is above. */
		if (frame.bp <= below)
			break;
	}
	return nr;
}
