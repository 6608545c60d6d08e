// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace_entry.c - from ftrace to the core, in 32-bit mode.
 *
 * Owns: the entry.  All sites share the kernel's own, which saves all registers and calls
 * whoever wants them; so nothing is known of what is behind it.
 */
#include "ftrace.h"
#include "local.h"

#ifdef KP_FTRACE_CALLS

KP_TRAP_PATH void kp_ftrace_entry(KP_FTRACE_ARGUMENTS)
{
	kp_ftrace_listed(ip, parent_ip, ops, fregs);
}

/* No hit is called so. */
KP_TRAP_PATH void kp_ftrace_guard(struct kp_arch_guard *guard, const struct pt_regs *regs)
{
	BUG();
}

#endif
