// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unfixed.c - faults for which the kernel asks no table.
 *
 * Owns: intercepts (intercept.c) where such a fault has come to, before anything is said of
 * it.  All others come by fixup_exception (shared/risc/fault.c).
 *
 *	do_bad(addr, status, regs)	memory of programs, where the kernel may not touch it
 *					without saying so, and what is stranger
 *	arm_notify_die(text, regs, ...)	memory, where there is nobody to say it to
 *	die(text, regs, status)		instructions that nobody has wanted: compilers leave
 *					arm_notify_die out there
 *
 * Where the core deals with it, the function is left at once, as if all were well.  Without
 * one of these such a fault in a handler is an oops.
 *
 * Locks: none; on_bad, on_notify and on_die are trap path.
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

/* Its last argument, the third one on the stack, is 0 if it is about memory. */
KP_TRAP_PATH static bool on_notify(struct kp_intercept *intercept, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)regs->ARM_r1;

	(void)intercept;
	return !((unsigned long *)regs->ARM_sp)[2] &&
	       dealt_with(regs, faulting, kp_fault_number(faulting));
}

/* Memory has a status, and has been asked about. */
KP_TRAP_PATH static bool on_die(struct kp_intercept *intercept, struct pt_regs *regs)
{
	(void)intercept;
	return !regs->ARM_r2 && dealt_with(regs, (struct pt_regs *)regs->ARM_r1, 6);
}

static struct kp_intercept intercepts[] = {
	{ .name = "do_bad", .on_hit = on_bad },
	{ .name = "arm_notify_die", .on_hit = on_notify },
	{ .name = "die", .on_hit = on_die },
};

void kp_unfixed_start(void)
{
	struct kp_intercept *intercept;

	for (intercept = intercepts; intercept < intercepts + ARRAY_SIZE(intercepts); intercept++)
		if (kp_intercept_prepare(intercept) || kp_intercept_arm(intercept))
			pr_warn("kprobes: %s cannot be intercepted: some faults in handlers will be an oops\n",
				intercept->name);
}
