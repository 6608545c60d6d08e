/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ftrace.h - what ftrace.c and ftrace_entry.c of either mode of x86 call each other by.
 *
 * Owns: these names, closing user memory, and the way from an entry to the core.
 */
#ifndef KP_KERNEL_FTRACE_H
#define KP_KERNEL_FTRACE_H

#include <linux/irqflags.h>
#include <linux/preempt.h>
#include "compat/ftrace.h"
#include "local.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

extern struct ftrace_ops kp_ftrace_ops[2];	/* ftrace_hit.c */

#define KP_FTRACE_ARGUMENTS						\
	unsigned long ip, unsigned long parent_ip,			\
	struct ftrace_ops *ops, struct kp_ftrace_regs *fregs

/* ftrace_entry.c's: ftrace calls it. */
void kp_ftrace_entry(KP_FTRACE_ARGUMENTS);
/* ftrace_hit.c's: a hit, whoever has saved its registers; where RCU does not watch. */
void kp_ftrace_listed(KP_FTRACE_ARGUMENTS);
void kp_ftrace_unwatched(struct pt_regs *regs, uintptr_t addr, bool redirects);
/* And an abandoned one of kp_ftrace_framed's. */
void kp_ftrace_abort(struct pt_regs *regs);
/* ftrace_entry.c's: where a site of ours alone calls; 0: the kernel has something. */
unsigned long kp_ftrace_own_trampoline(bool redirects);

/*
 * The function may be called where user memory is open, which is none of handlers'
 * business.  ftrace loads the flags again from regs, as it has saved them.
 */
static __always_inline void
kp_ftrace_close_user(const struct pt_regs *regs)
{
	if (unlikely(regs->flags & X86_EFLAGS_AC))
		asm volatile("push %0\n\tpopf" ::
			     "r" (arch_local_save_flags() & ~X86_EFLAGS_AC) :
			     "memory", "cc");
}

/* A hit that needs nothing but regs to go on when handlers are abandoned. */
KP_TRAP_PATH static __always_inline void
kp_ftrace_framed(struct pt_regs *regs, uintptr_t addr, bool redirects)
{
	preempt_disable_notrace();
	if (likely(kp_rcu_watches()))
		kp_core_on_framed_tracer(addr, kp_context_now(), redirects, regs);
	else
		kp_ftrace_unwatched(regs, addr, redirects);
	preempt_enable_notrace();
}

#endif

#endif
