// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * follow.c - stacks where each function keeps its caller's frame pointer and where it was
 * called from beside each other, and a call leaves the latter in a register.
 *
 * Owns: the way outward by frame pointers, and with it that of the process, from where it
 * entered the kernel.  What a processor has of its own is in its kt_frames.h.
 *
 * No locks; any context of a handler.
 */
#include <linux/sched/task_stack.h>
#include <kprobes/control.h>
#include "kt_host.h"
#include "shared/risc/follow.h"
#include "kt_frames.h"

bool kt_read_record(struct kt_record_of_frame *record, u64 fp, bool user)
{
	return fp && !(fp % sizeof(long)) &&
	       !kt_host_read(record, fp - KT_FRAMES_RECORD, sizeof(*record), user) && record->ip;
}

/*
 * link: where the first one returns to, which has not saved it, if it is of a function that
 * calls nothing: its frame has where its caller's is in that place.
 */
u32 kt_follow(u64 fp, u64 link, u64 *frames, u32 nr, u32 room, bool user)
{
	struct kt_record_of_frame record;
	bool first = true;

	for (; nr < room && kt_read_record(&record, fp, user); first = false) {
		u64 ip = kt_frames_address(record.ip, user);

		/* Where the kernel was entered its frame is registers, and no record. */
		if (!user && ip < KT_MACHINE_KERNEL)
			break;
		if (first && kt_frames_is_leaf(fp, record.ip)) {
			frames[nr++] = link;
			record.fp = record.ip;
		} else {
			frames[nr++] = ip;
		}
		/* Stacks grow downward: a caller's frame is above. */
		if (record.fp <= fp)
			break;
		fp = record.fp;
	}
	return nr;
}

u32 kt_unwind_user(u64 *frames, u32 room)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (!current->mm || (current->flags & PF_KTHREAD) || kt_frames_foreign(regs))
		return 0;
	frames[0] = instruction_pointer(regs);
	return kt_follow(kt_frames_fp(regs), kt_frames_address(kt_frames_link(regs), true), frames, 1,
		      room, true);
}
