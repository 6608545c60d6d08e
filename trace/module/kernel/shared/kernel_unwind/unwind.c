// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the kernel's stack of a hit, where kernels have no frame pointers.
 *
 * Owns: the way from a hit's registers outward, by the kernel's own steps
 * (<kprobes/frames.h>).  Who is hit as it begins has made no frame that these could read.
 *
 * Invariant: the frames begin with the probed place, and none is the engine's or
 * this module's.
 *
 * No locks; any context of a handler.
 */
#include <kprobes/control.h>
#include <kprobes/frames.h>
#include "kt_host.h"
#include "kt_frames.h"

u32 kt_unwind_kernel(const struct kt_hit *hit, u64 *frames, u32 room)
{
	struct pt_regs *regs = hit->regs;
	struct kprobes_frame at = {
		.pc = kt_host_ip(hit),
		.sp = kernel_stack_pointer(regs),
		.fp = kt_frames_fp(regs),
		.lr = kt_frames_link(regs),
	};
	bool free = kt_frames_free(regs);
	u32 nr = 0;

	/* A sample may find a process at work. */
	if (user_mode(regs))
		return 0;
	frames[nr++] = at.pc;
	if (hit->begins && nr < room) {
		at.pc = kt_frames_address(at.lr, false);
		at.lr = 0;
		frames[nr++] = at.pc;
	}
	while (nr < room && kprobes_caller(&at, free))
		frames[nr++] = at.pc;
	return nr;
}
