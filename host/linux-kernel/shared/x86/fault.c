// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fault.c - how a fault in a slot or a handler reaches the core.
 *
 * Owns: two intercepts (intercept.c), at the start of fixup_exception and of
 * page_fault_oops.  Every fault in kernel mode that the kernel could
 * not resolve comes through the first, before any exception table is
 * consulted; one that the kernel refuses to fix (user memory touched without
 * permission) goes straight to the second, where there is one (compat/fault.h).
 * Both get the faulting registers as their first argument.  When the core has
 * dealt with the fault, the function is left at once, as if it had done its work;
 * else it runs as always, on registers that now name the original instruction.
 *
 * Without these symbols, or with something else at their start: the kernel's
 * die notifiers would be all there is, which are not asked about page faults;
 * then a faulting handler is an oops, and copies rely on their cloned
 * exception entries.
 */
#include <linux/ptrace.h>
#include <asm/traps.h>
#include "compat/fault.h"
#include "local.h"

KP_TRAP_PATH static bool on_fixup(struct kp_intercept *intercept, struct pt_regs *regs);
KP_TRAP_PATH static bool on_oops(struct kp_intercept *intercept, struct pt_regs *regs);

static struct kp_intercept intercepts[] = {
	{ .name = "fixup_exception", .on_hit = on_fixup },
	{ .name = "page_fault_oops", .on_hit = on_oops },
};

/* The fault that kp_core_on_fault is being asked about, for kp_host_fixup. */
struct asked {
	struct pt_regs *regs;
	unsigned long error_code, address;
};
static DEFINE_PER_CPU(struct asked, asked);
/* These registers are being fixed up for us: the intercept lets them through. */
static DEFINE_PER_CPU(struct pt_regs *, passing);

/* ---- trap path ----------------------------------------------------------- */

/* Leave the intercepted function: nothing has been pushed yet. */
KP_TRAP_PATH static void leave_function(struct pt_regs *regs)
{
	regs->ax = 1;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

/* trapnr < 0: the kernel has refused to fix it; no fixup is left to ask. */
KP_TRAP_PATH static bool resolved(struct pt_regs *regs, int trapnr)
{
	struct pt_regs *faulting = (struct pt_regs *)*kp_argument(regs, 0);
	struct asked *now = this_cpu_ptr(&asked);
	struct asked outer = *now;
	bool done;

	if (user_mode(faulting) || this_cpu_read(passing) == faulting)
		return false;
	now->regs = trapnr < 0 ? NULL : faulting;
	/* page_fault_oops has no trap number. */
	now->error_code = *kp_argument(regs, trapnr < 0 ? 1 : 2);
	now->address = *kp_argument(regs, trapnr < 0 ? 2 : 3);
	done = kp_core_on_fault(faulting, trapnr < 0 ? X86_TRAP_PF : trapnr);
	*now = outer;
	if (done)
		leave_function(regs);
	return done;
}

/* (registers, trap number, error code, address) */
KP_TRAP_PATH static bool on_fixup(struct kp_intercept *intercept, struct pt_regs *regs)
{
	return resolved(regs, (int)*kp_argument(regs, 1));
}

/* (registers, error code, address) */
KP_TRAP_PATH static bool on_oops(struct kp_intercept *intercept, struct pt_regs *regs)
{
	return resolved(regs, -1);
}

/* Let the kernel apply the exception table to a fault in handler code. */
KP_TRAP_PATH bool kp_host_fixup(struct pt_regs *regs, int trapnr)
{
	struct pt_regs *outer = this_cpu_read(passing);
	struct asked *now = this_cpu_ptr(&asked);
	int fixed;

	if (now->regs != regs)
		return false;
	this_cpu_write(passing, regs);
	fixed = kp_kernel_fixup_exception(regs, trapnr, now->error_code,
					  now->address);
	this_cpu_write(passing, outer);
	return fixed;
}

/* ---- start and stop ------------------------------------------------------ */

void kp_fault_start(void)
{
	size_t i, nr = KP_FAULTS_PASS_FIXUPS ? ARRAY_SIZE(intercepts) : 1;

	for (i = 0; i < nr; i++)
		if (kp_intercept_prepare(&intercepts[i]) || kp_intercept_arm(&intercepts[i]))
			pr_warn("kprobes: %s cannot be intercepted: some faults in handlers will be an oops\n",
				intercepts[i].name);
}
