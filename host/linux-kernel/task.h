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

/* A lean handler's is a task's, in the sense of enter.h: see env_asm.h. */
static __always_inline struct kp_context *kp_host_context_lean(void)
{
	struct kp_context *ctx = this_cpu_ptr(&kp_contexts[KP_LEVEL_TASK]);

	if (!ctx)
		__builtin_unreachable();
	return ctx;
}

static __always_inline struct kp_context *kp_host_enter_lean(uintptr_t sp)
{
	struct kp_context *ctx;

	(void)sp;
	__preempt_count_add(1);
	/* As in kp_context_enter: what is looked at is this CPU's, and stays so. */
	barrier();
	ctx = kp_host_context_lean();
	if (likely(kp_level_of(preempt_count()) == KP_LEVEL_TASK) &&
	    likely(kp_rcu_watches()) && likely(!ctx->site))
		return ctx;
	kp_context_leave();
	return NULL;
}

static __always_inline void kp_host_leave_lean(struct kp_context *ctx)
{
	(void)ctx;
	kp_context_leave();
}

/* No stack of the kernel's outlives its task, or changes to another. */
static __always_inline bool
kp_host_task_known(const struct kp_context *ctx)
{
	(void)ctx;
	return true;
}

static __always_inline void kp_host_task(struct kp_task *out, uintptr_t sp)
{
	struct task_struct *task = get_current();

	(void)sp;
	out->task = task;
	out->id = task->start_time;
}

static __always_inline void kp_host_task_again(struct kp_task *out,
					       uintptr_t sp)
{
	kp_host_task(out, sp);
}

/* Its stubs call nothing. */
static __always_inline void kp_host_task_stamp(struct kp_task *out,
					       const struct kp_context *ctx,
					       uintptr_t sp)
{
	(void)out;
	(void)ctx;
	(void)sp;
}

#endif
