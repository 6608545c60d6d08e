// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * traces.c - the kernel's stack traces through hooked calls.
 *
 * Owns: watches where the kernel's unwinder hands over a return address to whoever saves
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
KP_TRAP_PATH static bool fix_address(struct kp_watch *watch,
				     struct pt_regs *regs)
{
	(void)watch;
	regs->regs[1] = kp_core_original_ip(regs->regs[1]);
	return false;
}

static struct kp_watch watches[] = {
	{ .name = "stack_trace_consume_entry", .on_hit = fix_address },
	{ .name = "stack_trace_consume_entry_nosched", .on_hit = fix_address },
	{ .name = "dump_backtrace_entry", .on_hit = fix_address },
	{ .name = "callchain_trace", .on_hit = fix_address },
};

void kp_host_returns_hooked(bool on)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(watches); i++)
		if (!on)
			kp_watch_disarm(&watches[i]);
		else if (watches[i].addr && kp_watch_arm(&watches[i]))
			pr_warn_once("kprobes: %s cannot be hooked now: stack traces may show the stubs of return probes\n",
				     watches[i].name);
}

void kp_traces_start(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(watches); i++)
		if (kp_watch_prepare(&watches[i]))
			pr_info("kprobes: %s cannot be hooked: some stack traces will show the stubs of return probes\n",
				watches[i].name);
}
