// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace_hit.c - a hit at an ftrace site, behind its entry.
 *
 * Owns: the way from there to the core.  RCU must watch while handlers run:
 * kp_host_wait_handlers relies on it.  All of it is trap path.
 */
#include <linux/rcupdate.h>
#include "ftrace.h"
#include "local.h"

#ifdef KP_FTRACE_CALLS

struct ftrace_ops kp_ftrace_ops[2];	/* kp_core_on_tracer's redirects */

/* RCU does not watch: in the idle loop, or on the way into or out of it. */
KP_TRAP_PATH noinline void kp_ftrace_unwatched(struct pt_regs *regs,
						uintptr_t addr, bool redirects)
{
	unsigned long flags = arch_local_irq_save();

	kp_kernel_rcu_enter();
	kp_core_on_tracer(regs, addr, redirects);
	kp_kernel_rcu_exit();
	arch_local_irq_restore(flags);
}

KP_TRAP_PATH void kp_ftrace_listed(KP_FTRACE_ARGUMENTS)
{
	struct pt_regs *regs = kp_ftrace_get_regs(fregs);
	bool redirects = ops == &kp_ftrace_ops[1];

	kp_ftrace_close_user(regs);
	preempt_disable_notrace();
	if (likely(kp_rcu_watches()))
		kp_core_on_tracer(regs, ip, redirects);
	else
		kp_ftrace_unwatched(regs, ip, redirects);
	preempt_enable_notrace();
}

KP_TRAP_PATH void kp_ftrace_abort(struct pt_regs *regs)
{
	kp_core_on_framed_tracer_abort(regs);
	preempt_enable_notrace();
}

#endif
