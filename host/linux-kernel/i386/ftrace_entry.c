// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace_entry.c - from ftrace to the core, in 32-bit mode.
 *
 * Owns: the entries.  A site that is ours alone calls a trampoline of ours
 * (ftrace_trampoline.S).  All others share the kernel's own, which saves all registers and
 * calls whoever wants them, by the list of all users; so nothing is known of what is behind it.
 */
#include "ftrace.h"
#include "local.h"

#ifdef KP_FTRACE_CALLS

extern const char kp_ftrace_trampoline[] __attribute__((visibility("hidden")));
extern const char kp_ftrace_redirecting_trampoline[] __attribute__((visibility("hidden")));
extern const char kp_ftrace_aborted[] __attribute__((visibility("hidden")));
void kp_ftrace_call(struct pt_regs *regs);
void kp_ftrace_redirecting_call(struct pt_regs *regs);
void kp_ftrace_preempted(void);

/*
 * ftrace leaves it alone, as it has not allocated it; and unregistering an ops of a module's
 * waits for who is in code that its sites have called.
 */
unsigned long kp_ftrace_own_trampoline(bool redirects)
{
	return (unsigned long)(redirects ? kp_ftrace_redirecting_trampoline :
					   kp_ftrace_trampoline);
}

KP_TRAP_PATH void kp_ftrace_entry(KP_FTRACE_ARGUMENTS)
{
	kp_ftrace_listed(ip, parent_ip, ops, fregs);
}

/* The flags are usual ones. */
KP_TRAP_PATH void kp_ftrace_call(struct pt_regs *regs)
{
	kp_ftrace_framed(regs, regs->ip - KP_FTRACE_LEN, false);
}

KP_TRAP_PATH void kp_ftrace_redirecting_call(struct pt_regs *regs)
{
	kp_ftrace_framed(regs, regs->ip - KP_FTRACE_LEN, true);
}

/* When a reader left, another task should have run. */
KP_TRAP_PATH void kp_ftrace_preempted(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}

/* The landing returns to kp_ftrace_aborted, by the word that the trampoline's call pushed. */
KP_TRAP_PATH void kp_ftrace_guard(struct kp_arch_guard *guard, const struct pt_regs *regs)
{
	*guard = (struct kp_arch_guard){
		.sp = (uintptr_t)regs - sizeof(long),
		.ip = (unsigned long)kp_ftrace_aborted,
	};
}

#endif
