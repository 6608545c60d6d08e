// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the kernel's stack of a hit, where kernels are compiled with frame pointers.
 *
 * Owns: the way from a hit's registers outward.  Who is hit as it begins has not saved where
 * it was called from: that is in the link register.  What a processor has of its own is in
 * its kt_frames.h.
 *
 * Invariant: the frames begin with the probed place, and none is the engine's or
 * this module's.
 *
 * No locks; any context of a handler.
 */
#include <kprobes/control.h>
#include "kt_host.h"
#include "shared/risc/follow.h"
#include "kt_frames.h"

/* A frame's return address, or 0. */
static u64 saved(u64 fp)
{
	struct kt_record_of_frame record;

	return kt_read_record(&record, fp, false) ? kt_frames_address(record.ip, false) : 0;
}

/*
 * Has the code before link called the function that begins at addr, or a pad before it?
 * By way of a register nothing tells; but what a function has called itself comes back to
 * its own code.
 */
#define PAD 12
#define NEAR 16384

static bool is_caller(u64 link, u64 addr)
{
	u64 target = 0;

	if (!kt_frames_called(link, &target))
		return false;
	return target ? addr - target <= PAD : link - addr + NEAR > 2 * NEAR;
}

u32 kt_unwind_kernel(const struct kt_hit *hit, u64 *frames, u32 room)
{
	const struct pt_regs *regs = hit->regs;
	u64 link = kt_frames_address(kt_frames_link(regs), false);
	u32 nr = 0;

	/* A sample may find a process at work. */
	if (user_mode(regs))
		return 0;
	frames[nr++] = kt_host_ip(hit);
	if (!hit->returns && nr < room && link != saved(kt_frames_fp(regs)) &&
	    is_caller(link, hit->addr))
		frames[nr++] = link;
	return kt_follow(kt_frames_fp(regs), link, frames, nr, room, false);
}
