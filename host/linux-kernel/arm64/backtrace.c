// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - the kernel's stack traces through hooked calls.
 *
 * Owns: intercepts where the kernel's unwinder hands over a return address to whoever saves
 * or prints the trace.  A hooked call's is a stub's; what is shown and saved is made the
 * real one (K-RET-44).  The unwinder itself goes by frame pointers, which stay as they are.
 *
 * They cost a breakpoint for each frame of every trace, so they are armed only while
 * calls may be hooked.
 *
 * Locks: the registry lock.
 */
#include <linux/ptrace.h>
#include "local.h"

/* (whose trace, address) */
KP_TRAP_PATH static bool fix_address(struct kp_intercept *intercept,
				     struct pt_regs *regs)
{
	(void)intercept;
	regs->regs[1] = kp_core_original_ip(regs->regs[1]);
	return false;
}

static struct kp_intercept intercepts[] = {
	{ .name = "stack_trace_consume_entry", .on_hit = fix_address },
	{ .name = "stack_trace_consume_entry_nosched", .on_hit = fix_address },
	{ .name = "dump_backtrace_entry", .on_hit = fix_address },
	{ .name = "callchain_trace", .on_hit = fix_address },
};

void kp_host_returns_hooked(bool on)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(intercepts); i++)
		if (!on)
			kp_intercept_disarm(&intercepts[i]);
		else if (intercepts[i].addr && kp_intercept_arm(&intercepts[i]))
			pr_warn_once("kprobes: %s cannot be intercepted now: stack traces may show the stubs of return probes\n",
				     intercepts[i].name);
}

void kp_traces_start(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(intercepts); i++)
		if (kp_intercept_prepare(&intercepts[i]))
			pr_info("kprobes: %s cannot be intercepted: some stack traces will show the stubs of return probes\n",
				intercepts[i].name);
}
