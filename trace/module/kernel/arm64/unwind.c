// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unwind.c - the stacks of a hit on arm64.
 *
 * Owns: the way from a hit's registers outward, by frame pointers: in the kernel, which is
 * compiled with them, and in the process, from where it entered the kernel.  Who is hit as
 * it begins has not saved where it was called from: that is in x30.
 *
 * Invariant: the frames begin with the probed place, and none is the engine's or
 * this module's.
 *
 * No locks; any context of a handler.
 */
#include <linux/sched/task_stack.h>
#include <asm/memory.h>
#include <kprobes/control.h>
#include "kt_host.h"

struct record {
	u64 fp, ip;
};

/* Without the signature that it may have; where a watched call comes back to in truth. */
static u64 address(u64 word, bool user)
{
	u64 bits = (1ull << VA_BITS_MIN) - 1;

	return user ? word & bits : kprobes_original_address(word | ~bits);
}

static u32 follow(u64 fp, u64 *frames, u32 nr, u32 room, bool user)
{
	struct record record;

	while (nr < room && fp && !(fp & 7) &&
	       !kt_host_read(&record, fp, sizeof(record), user) && record.ip) {
		frames[nr++] = address(record.ip, user);
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

	return kt_host_read_kernel(&record, fp, sizeof(record)) ? 0 : address(record.ip, false);
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
	u64 target;
	u32 word;

	if (kt_host_read_kernel(&word, link - 4, sizeof(word)))
		return false;
	if (word >> 26 == 0x94000000 >> 26) {
		target = link - 4 + ((s64)((u64)word << 38) >> 36);
		return addr - target <= PAD;
	}
	return link - addr + NEAR > 2 * NEAR;
}

u32 kt_unwind_kernel(const struct kt_hit *hit, u64 *frames, u32 room)
{
	const struct pt_regs *regs = hit->regs;
	u64 link = address(regs->regs[30], false);
	u32 nr = 0;

	/* A sample may find a process at work. */
	if (user_mode(regs))
		return 0;
	frames[nr++] = kt_host_ip(hit);
	if (!hit->returns && nr < room && link != saved(regs->regs[29]) &&
	    is_caller(link, hit->addr))
		frames[nr++] = link;
	return follow(regs->regs[29], frames, nr, room, false);
}

u32 kt_unwind_user(u64 *frames, u32 room)
{
	const struct pt_regs *regs = task_pt_regs(current);

	if (!current->mm || (current->flags & PF_KTHREAD) || compat_user_mode(regs))
		return 0;
	frames[0] = regs->pc;
	return follow(regs->regs[29], frames, 1, room, true);
}
