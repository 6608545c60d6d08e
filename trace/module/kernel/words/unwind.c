// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the stacks of a hit, where each function keeps its caller's frame pointer and
 * where it was called from beside each other, and a call leaves the latter in a register.
 *
 * Owns: the way from a hit's registers outward, by frame pointers: in the kernel, which is
 * compiled with them, and in the process, from where it entered the kernel.  Who is hit as
 * it begins has not saved where it was called from: that is in the link register.  What a
 * processor has of its own is in its kt_frames.h.
 *
 * Invariant: the frames begin with the probed place, and none is the engine's or
 * this module's.
 *
 * No locks; any context of a handler.
 */
#include <linux/sched/task_stack.h>
#include <kprobes/control.h>
#include "kt_host.h"
#include "kt_frames.h"

struct record {
	u64 fp, ip;
};

static bool read_record(struct record *record, u64 fp, bool user)
{
	return fp && !(fp & 7) &&
	       !kt_host_read(record, fp - KT_FRAMES_RECORD, sizeof(*record), user) && record->ip;
}

/*
 * link: where the first one returns to, which has not saved it, if it is of a function that
 * calls nothing: its frame has where its caller's is in that place.
 */
static u32 follow(u64 fp, u64 link, u64 *frames, u32 nr, u32 room, bool user)
{
	struct record record;
	bool first = true;

	for (; nr < room && read_record(&record, fp, user); first = false) {
		if (first && kt_frames_is_leaf(fp, record.ip)) {
			frames[nr++] = link;
			record.fp = record.ip;
		} else {
			frames[nr++] = kt_frames_address(record.ip, user);
		}
		/* Stacks grow downward: a caller's frame is above. */
		if (record.fp <= fp)
			break;
		fp = record.fp;
	}
	return nr;
}

/* A frame's return address, or 0. */
static u64 saved(u64 fp)
{
	struct record record;

	return read_record(&record, fp, false) ? kt_frames_address(record.ip, false) : 0;
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
	return follow(kt_frames_fp(regs), link, frames, nr, room, false);
}

u32 kt_unwind_user(u64 *frames, u32 room)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (!current->mm || (current->flags & PF_KTHREAD) || kt_frames_foreign(regs))
		return 0;
	frames[0] = instruction_pointer(regs);
	return follow(kt_frames_fp(regs), kt_frames_address(kt_frames_link(regs), true), frames, 1,
		      room, true);
}
