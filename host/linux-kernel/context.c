// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * context.c - readers and reentrancy.
 *
 * Owns: entering and leaving struct kp_context, of which each CPU has one for each level
 * (percpu.c): task, soft interrupt, interrupt, NMI.  A hit in an interrupt that came in while
 * a handler ran is not recursion, so it has a context of its own (L10).
 *
 * Every trap enters the kernel as if it were an NMI, so the preemption
 * counter alone cannot tell a trap inside a handler from a real NMI.  What the
 * traps that this CPU handles for us have added to it is counted in kp_traps;
 * what is left is real.  enter.h has the way in and out.
 *
 * A reader runs with preemption off and RCU watching, so synchronize_rcu waits
 * for it (quiesce.c).
 *
 * No locks: only the CPU itself touches its contexts; all of it is trap path.
 */
#include <linux/uaccess.h>
#include "local.h"

KP_TRAP_PATH struct kp_context *kp_host_enter(void)
{
	return kp_context_enter();
}

KP_TRAP_PATH void kp_host_leave(struct kp_context *ctx)
{
	(void)ctx;
	kp_context_leave();
}

KP_TRAP_PATH bool kp_context_watch(void)
{
	if (!kp_hidden.rcu_enter)
		return false;
	kp_kernel_rcu_enter();
	return true;
}

KP_TRAP_PATH void kp_context_unwatch(void)
{
	kp_kernel_rcu_exit();
}

/* No interrupt leaves what it has interrupted behind. */
KP_TRAP_PATH bool kp_host_unwound(const struct kp_context *ctx, uintptr_t sp)
{
	(void)ctx;
	(void)sp;
	return false;
}

/* What runs in a kernel for the engine is the kernel's code, and is blacklisted or meant. */
KP_TRAP_PATH bool kp_host_is_own_work(void)
{
	return false;
}

KP_TRAP_PATH void kp_host_forget(struct kp_context *ctx)
{
	(void)ctx;
}

KP_TRAP_PATH struct kp_context *kp_host_context(void)
{
	/* Handlers run with preemption off; and a preemptible caller could be
	 * on another CPU by the time it looks.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) && !preempt_count())
		return NULL;
	return this_cpu_ptr(&kp_contexts[kp_level_of(preempt_count())]);
}

/* Kernel code does not use vector registers, but between calls of its own. */
bool kp_host_vectors_live(void)
{
	return false;
}

/* Nor as arguments. */
KP_TRAP_PATH bool kp_host_vectors(const struct pt_regs *regs,
				  struct kp_arch_vectors *out)
{
	return false;
}
