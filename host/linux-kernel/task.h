/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * task.h - who executes.
 *
 * Owns: the duties of port/host.h about the calling task, inline: every hooked
 * call asks for it.
 */
#ifndef KP_KERNEL_TASK_H
#define KP_KERNEL_TASK_H

#include "enter.h"

static __always_inline struct kp_context *kp_host_context_here(void)
{
	return kp_context_now();
}

/* No stack of the kernel's outlives its task, or changes to another. */
static __always_inline void kp_host_task(struct kp_task *out, uintptr_t sp)
{
	struct task_struct *task = get_current();

	(void)sp;
	out->task = task;
	out->bound = true;
	out->id = task->start_time;
}

#endif
