// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trap.c - how a breakpoint trap reaches the core.
 *
 * Owns: a break hook, the kernel's list of who serves which brk.  It takes a brk from
 * kernel mode with all interrupts masked, preemption off and RCU watching, and looks for
 * the hook of the number in the instruction.  Ours is for our number alone: the last one
 * in the list that fits is taken, and new ones come first, so one that fits all would take
 * away those of hooks that come later.
 *
 * The die notifiers are no way: they are asked once the kernel has said that it oopses.
 *
 * And the return to another stack pointer: from a trap in kernel mode the kernel goes back
 * with the one that it has found.  resume.S does the rest then.
 *
 * No locks; all of it but start and stop is trap path.
 */
#include <linux/percpu.h>
#include <asm/debug-monitors.h>
#include "local.h"
#include "resume.h"

#define ALL_MASKED (PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT)

extern const char kp_kernel_go_on[];
_Static_assert(offsetof(struct pt_regs, regs) == 0 &&
	       offsetof(struct pt_regs, sp) == 248 &&
	       offsetof(struct pt_regs, pc) == 256 &&
	       offsetof(struct pt_regs, pstate) == 264, "resume.S");

/*
 * Used from here to the end of kp_kernel_go_on, with everything masked.
 */
static DEFINE_PER_CPU(struct user_pt_regs, going_on);

KP_TRAP_PATH void kp_settle(struct pt_regs *regs)
{
	struct user_pt_regs *to = this_cpu_ptr(&going_on);

	if (likely(kp_is_settled(regs)))
		return;
	*to = regs->user_regs;
	regs->regs[0] = (unsigned long)to;
	regs->pc = (unsigned long)kp_kernel_go_on;
	regs->pstate = (regs->pstate | ALL_MASKED) & ~PSR_BTYPE_MASK;
}

KP_TRAP_PATH static int on_break(struct pt_regs *regs, unsigned long esr)
{
	bool ours = kp_arch_resume(regs) || kp_intercept_on_trap(regs) ||
		    kp_core_on_trap(regs);

	(void)esr;
	if (ours)
		kp_settle(regs);
	return ours ? DBG_HOOK_HANDLED : DBG_HOOK_ERROR;
}

static struct break_hook hook = {
	.fn = on_break,
	.imm = KP_A64_BP >> 5 & 0xffff,
};

int kp_trap_start(void)
{
	if (!kp_hidden.register_break_hook || !kp_hidden.unregister_break_hook) {
		pr_err("kprobes: this kernel's symbol table lacks register_kernel_break_hook: no breakpoint would reach us\n");
		return -ENOENT;
	}
	kp_kernel_register_break_hook(&hook);
	return 0;
}

/* No breakpoint of ours is left; traps taken earlier are waited for. */
void kp_trap_stop(void)
{
	kp_host_sync_cores();
	kp_kernel_unregister_break_hook(&hook);
}
