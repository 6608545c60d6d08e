// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_rests.c - a task whose stack looks as if it were interrupted in somebody's code, or on
 * its last instruction, while it returns through a thunk; or as if that were long ago.
 *
 * Owns: the task.  Parameters: place, an address in that code; at, how many words above
 * the interrupted stack pointer it stands, if it was not interrupted there; moved, the frame
 * is not where one would be; left, and nothing leads to it.  No user of Kprobes, so the
 * engine can be unloaded meanwhile.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "frame.h"

static ulong place;
module_param(place, ulong, 0400);
static int at = -1;
module_param(at, int, 0400);
static bool moved;
module_param(moved, bool, 0400);
static bool left;
module_param(left, bool, 0400);

static struct task_struct *task;

/* Mostly nothing leads from one frame to the next. */
#ifndef frame_link
#define frame_link(regs, record)	((void)(record))
#define frame_unlink(regs, record)	((void)(record))
#endif

/* And the interrupted code's stack. */
struct interrupted {
	struct pt_regs regs;
	unsigned long pad, stack[3];
};

static noinline int rest(void *unused)
{
	struct interrupted frame = { .pad = 0 };
	unsigned long *record = __builtin_frame_address(0);

	frame_fill(&frame.regs, at < 0 ? place : (unsigned long)rest,
		   (unsigned long)(moved ? (void *)&frame : frame.stack));
	if (at >= 0)
		frame.stack[at] = place;
	if (!left)
		frame_link(&frame.regs, record);
	while (!kthread_should_stop()) {
		barrier_data(&frame);
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule_timeout(HZ);
	}
	__set_current_state(TASK_RUNNING);
	if (!left)
		frame_unlink(&frame.regs, record);
	memset(&frame, 0, sizeof(frame));
	barrier_data(&frame);
	return 0;
}

static int __init rests_init(void)
{
	if (at > 2)
		return -EINVAL;
	task = kthread_run(rest, NULL, "kp_rests");
	return PTR_ERR_OR_ZERO(task);
}

static void __exit rests_exit(void)
{
	kthread_stop(task);
}

module_init(rests_init);
module_exit(rests_exit);
MODULE_DESCRIPTION("Kprobes tests: a task on its way back into the engine");
MODULE_LICENSE("Dual BSD/GPL");
