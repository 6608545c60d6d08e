// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_rests.c - a task that looks as if it were interrupted on its last
 * instruction in somebody's code, while it returns through a thunk.
 *
 * Owns: the task.  Parameters: place, an address in that code; at, how many
 * words above the interrupted stack pointer it stands.  No user of Kprobes, so
 * the engine can be unloaded meanwhile.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/segment.h>

static ulong place;
module_param(place, ulong, 0400);
static uint at;
module_param(at, uint, 0400);

static struct task_struct *task;

/* ip, cs, flags, sp, ss; then the interrupted code's stack. */
struct interrupted {
	unsigned long ip, cs, flags, sp, ss, pad, stack[3];
};

static int rest(void *unused)
{
	volatile struct interrupted frame = {
		.ip = (unsigned long)rest,
		.cs = __KERNEL_CS,
		.ss = __KERNEL_DS,
	};

	frame.sp = (unsigned long)frame.stack;
	frame.stack[at] = place;
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule_timeout(HZ);
	}
	__set_current_state(TASK_RUNNING);
	frame.stack[at] = 0;
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
