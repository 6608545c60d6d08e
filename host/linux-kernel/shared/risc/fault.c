// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fault.c - how a fault in a slot or a handler reaches the core.
 *
 * Owns: an intercept (intercept.c) at the start of fixup_exception.  Every fault in kernel mode
 * that the kernel could not resolve comes through there (on arm64 data aborts only), before
 * any exception table is consulted, with the faulting registers as its argument.  When the core has dealt
 * with the fault, the function is left at once, as if it had done its work; else it runs
 * as always, on registers that now name the original instruction.
 *
 * On MIPS some do not come there, or are emulated before: of these the core is asked beside,
 * where what stands there cannot be what the kernel emulates (KP_FAULTS_BESIDE, machine.h).
 *
 * Without this symbol, or with something else at its start: the kernel has no other way
 * to ask us; then a faulting handler is an oops, and copies rely on their cloned exception
 * entries.
 */
#include <linux/ptrace.h>
#include "local.h"

KP_TRAP_PATH static bool on_fixup(struct kp_intercept *intercept, struct pt_regs *regs);

static struct kp_intercept intercept = { .name = "fixup_exception", .on_hit = on_fixup };

/* The registers that kp_core_on_fault is being asked about, for kp_host_fixup. */
static DEFINE_PER_CPU(struct pt_regs *, asked);
/* These registers are being fixed up for us: the intercept lets them through. */
static DEFINE_PER_CPU(struct pt_regs *, passing);

/* ---- trap path ----------------------------------------------------------- */

KP_TRAP_PATH static bool fix_up(struct pt_regs *faulting)
{
	struct pt_regs *outer = this_cpu_read(passing);
	bool fixed;

	this_cpu_write(passing, faulting);
	fixed = kp_kernel_fixup_exception(faulting);
	this_cpu_write(passing, outer);
	return fixed;
}

KP_TRAP_PATH static bool ask(struct pt_regs *faulting)
{
	struct pt_regs *outer = this_cpu_read(asked);
	bool done;

	this_cpu_write(asked, faulting);
	done = kp_core_on_fault(faulting, kp_fault_number(faulting));
	this_cpu_write(asked, outer);
	return done;
}

/* What was led back may have to be led back to another stack pointer. */
KP_TRAP_PATH static bool on_fixup(struct kp_intercept *unused, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)kp_first_argument(regs);
	bool done;

	(void)unused;
	if (user_mode(faulting) || this_cpu_read(passing) == faulting)
		return false;
	done = ask(faulting);
	if (!done && !kp_is_settled(faulting))
		done = fix_up(faulting);
	if (!done)
		return false;
	kp_settle(faulting);
	/* Leave the function: nothing has been pushed yet. */
	kp_leave_function(regs, true);
	return true;
}

#ifdef KP_FAULTS_BESIDE
/* A copy is the kernel's to deal with: it asks on_fixup then. */
KP_TRAP_PATH static bool on_beside(struct kp_intercept *unused, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)kp_first_argument(regs);

	(void)unused;
	if (user_mode(faulting) || kp_may_be_emulated(faulting) ||
	    kp_core_original_ip(instruction_pointer(faulting)) != instruction_pointer(faulting) ||
	    !ask(faulting))
		return false;
	kp_leave_function(regs, true);
	return true;
}

static struct kp_intercept beside[] = { KP_FAULTS_BESIDE };
#else
static struct kp_intercept beside[0];
#endif

/* Let the kernel apply the exception table to a fault in handler code. */
KP_TRAP_PATH bool kp_host_fixup(struct pt_regs *regs, int trapnr)
{
	(void)trapnr;
	return this_cpu_read(asked) == regs && fix_up(regs);
}

/* ---- start and stop ------------------------------------------------------ */

static void start_one(struct kp_intercept *one)
{
	if (kp_intercept_prepare(one) || kp_intercept_arm(one))
		pr_warn("kprobes: %s cannot be intercepted: faults in handlers will be an oops\n",
			one->name);
}

void kp_fault_start(void)
{
	struct kp_intercept *one;

	start_one(&intercept);
	for (one = beside; one < beside + ARRAY_SIZE(beside); one++)
		start_one(one);
}
