// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * no_ftrace.c - ftrace is asked for nothing: it cannot do what probes need here, or there
 * is none.
 *
 * Owns: saying so; its sites are reserved then.
 */
#include "local.h"

#ifndef KP_FTRACE_CALLS

bool kp_ftrace_usable(void)
{
	return false;
}

void kp_ftrace_start(void)
{
}

void kp_ftrace_forgo(void)
{
}

void kp_ftrace_stop(void)
{
}

int kp_host_hook(struct kp_hook_site *hooks, size_t nr, bool redirects)
{
	return -EOPNOTSUPP;
}

int kp_host_unhook(struct kp_hook_site *hooks, size_t nr, bool redirects)
{
	return -EOPNOTSUPP;
}

void kp_host_hook_stop(void)
{
}

/* Nobody comes from a hook. */
KP_TRAP_PATH void kp_ftrace_guard(struct kp_arch_guard *guard,
				  const struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}

#endif
