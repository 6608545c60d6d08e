// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * one_way.c - a breakpoint's trap where there is one way from it to the core, ARCH/trap.c's.
 *
 * Owns: the trap path in C.  The way begins with interrupts masked, and the kernel's own end
 * of a trap loads every register, the stack pointer among them.  So a hit whose handler is
 * abandoned has nothing to restore but the stack pointer, and no hit saves anything for it.
 *
 * What the handler of the kernel's does for a hit, is done here: preemption is off, and RCU is
 * made to watch, as it does not in the idle loop.
 *
 * No locks; all of it is trap path, but that there is no shorter way.
 */
#include <linux/ptrace.h>
#include "local.h"

/* These processors' kernels alone: arm64 has several ways. */
#ifdef KP_ONE_WAY

/* What begins behind all else: the host may have breakpoints of its own then. */
#ifndef KP_ONE_WAY_START
#define KP_ONE_WAY_START() ((void)0)
#endif

bool kp_trap_hit(struct pt_regs *regs);
void kp_trap_abort(struct pt_regs *regs);

KP_TRAP_PATH static bool other(struct pt_regs *regs)
{
	return kp_machine_resume(regs) || kp_intercept_on_trap(regs) || kp_core_on_trap(regs);
}

/* In the idle loop. */
KP_TRAP_PATH static bool unwatched_hit(struct pt_regs *regs)
{
	bool watches = kp_context_watch(), ours;

	/* Without RCU a handler could outlive its probe: then it is missed. */
	if (!watches)
		return kp_machine_resume(regs) || kp_intercept_on_trap(regs);
	ours = other(regs);
	kp_context_unwatch();
	return ours;
}

KP_TRAP_PATH bool kp_trap_hit(struct pt_regs *regs)
{
	bool ours;

	if (!likely(kp_rcu_watches()))
		return unwatched_hit(regs);
	ours = kp_core_on_framed_trap(regs, kp_context_enter());
	kp_context_leave();
	return likely(ours) || other(regs);
}

KP_TRAP_PATH void kp_trap_abort(struct pt_regs *regs)
{
	kp_core_on_framed_trap_abort(regs);
	kp_context_leave();
}

void kp_short_start(void)
{
	KP_ONE_WAY_START();
}

void kp_short_stop(void)
{
}

bool kp_short_usable(void)
{
	return false;
}

bool kp_short_took(const struct pt_regs *regs)
{
	return false;
}

#endif
