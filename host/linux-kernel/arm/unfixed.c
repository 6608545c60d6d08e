// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unfixed.c - faults for which the kernel asks no table.
 *
 * Owns: intercepts (intercept.c) where such a fault has come to, before anything is said of
 * it.  All others come by fixup_exception (words/fault.c).
 *
 *	do_bad(addr, status, regs)	memory of programs, where the kernel may not touch it
 *					without saying so, and what is stranger
 *	arm_notify_die(text, regs, ...)	instructions that nobody has wanted, among others
 *
 * Where the core deals with it, the function is left at once, as if all were well.  Without
 * one of these such a fault in a handler is an oops.
 *
 * Locks: none; on_bad and on_die are trap path.
 */
#include <linux/ptrace.h>
#include "local.h"

KP_TRAP_PATH static bool dealt_with(struct pt_regs *regs, struct pt_regs *faulting, int number)
{
	if (user_mode(faulting) || !kp_core_on_fault(faulting, number))
		return false;
	kp_leave_function(regs, 0);
	return true;
}

KP_TRAP_PATH static bool on_bad(struct kp_intercept *intercept, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)regs->ARM_r2;

	(void)intercept;
	return dealt_with(regs, faulting, kp_fault_number(faulting));
}

/* Its last argument, the third one on the stack, is the kernel's number, or 0. */
KP_TRAP_PATH static bool on_die(struct kp_intercept *intercept, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)regs->ARM_r1;
	int number = (int)((unsigned long *)regs->ARM_sp)[2];

	(void)intercept;
	return dealt_with(regs, faulting, number ? number : kp_fault_number(faulting));
}

static struct kp_intercept intercepts[] = {
	{ .name = "do_bad", .on_hit = on_bad },
	{ .name = "arm_notify_die", .on_hit = on_die },
};

void kp_unfixed_start(void)
{
	struct kp_intercept *intercept;

	for (intercept = intercepts; intercept < intercepts + ARRAY_SIZE(intercepts); intercept++)
		if (kp_intercept_prepare(intercept) || kp_intercept_arm(intercept))
			pr_warn("kprobes: %s cannot be intercepted: some faults in handlers will be an oops\n",
				intercept->name);
}
