// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trap.c - how a breakpoint trap reaches the core.
 *
 * Owns: the die notifier.  The kernel enters an int3 from kernel mode like an
 * NMI (interrupts off, RCU watching) and asks the notifiers; ours is first in
 * line, and all on the way to it is on the blacklist (noprobe.c).
 *
 * No locks; all of it but start and stop is trap path.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <asm/traps.h>
#include "local.h"

/* A boundary inside a jump, whose bytes are no instruction there. */
KP_TRAP_PATH static int on_invalid_opcode(struct die_args *args)
{
	if (args->trapnr != X86_TRAP_UD || user_mode(args->regs))
		return NOTIFY_DONE;
	return kp_core_on_fault(args->regs, X86_TRAP_UD) ? NOTIFY_STOP :
							   NOTIFY_DONE;
}

/* A breakpoint in user space is the program's or its debugger's (K-HIT-27). */
KP_TRAP_PATH static int on_die(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	struct die_args *args = data;
	bool ours;

	if (event == DIE_TRAP)
		return on_invalid_opcode(args);
	if (event != DIE_INT3 || user_mode(args->regs))
		return NOTIFY_DONE;
	kp_context_trap_begin();
	ours = kp_machine_resume(args->regs) || kp_intercept_on_trap(args->regs) ||
	       kp_core_on_trap(args->regs);
	kp_context_trap_end();
	return ours ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block die_notifier = {
	.notifier_call = on_die,
	.priority = INT_MAX,
};

int kp_trap_start(void)
{
	return register_die_notifier(&die_notifier);
}

/* No breakpoint of ours is left; traps taken earlier are waited for. */
void kp_trap_stop(void)
{
	kp_host_sync_cores();
	unregister_die_notifier(&die_notifier);
}
