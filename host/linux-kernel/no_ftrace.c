// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * no_ftrace.c - for a kernel without ftrace, or where ftrace cannot do what probes need.
 *
 * Owns: that answer; its sites are reserved then.
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

int kp_host_tracer_on(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	return -EOPNOTSUPP;
}

int kp_host_tracer_off(struct kp_tracer_site *sites, size_t nr, bool redirects)
{
	return -EOPNOTSUPP;
}

void kp_host_tracer_stop(void)
{
}

/* Nobody comes from there. */
KP_TRAP_PATH void kp_ftrace_guard(struct kp_arch_guard *guard,
				  const struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}

#endif
