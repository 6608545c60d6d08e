// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - where riscv64 kernels look at return addresses for stack traces.
 *
 * Owns: intercepts where the kernel's unwinder hands over a return address to whoever saves
 * or prints the trace.  A hooked call's is a stub's; what is shown and saved is made the
 * real one (K-RET-44).  The unwinder itself goes by frame pointers, which stay as they are.
 *
 * Locks: none.
 */
#include <linux/ptrace.h>
#include "local.h"

/* (whose trace, address) */
KP_TRAP_PATH static bool fix_address(struct kp_intercept *intercept,
				     struct pt_regs *regs)
{
	(void)intercept;
	regs->a1 = kp_core_original_ip(regs->a1);
	return false;
}

static struct kp_intercept intercepts[] = {
	{ .name = "stack_trace_consume_entry", .on_hit = fix_address },
	{ .name = "stack_trace_consume_entry_nosched", .on_hit = fix_address },
	{ .name = "print_trace_address", .on_hit = fix_address },
	{ .name = "fill_callchain", .on_hit = fix_address },
};

const struct kp_backtrace kp_backtrace = {
	.intercepts = intercepts,
	.nr = ARRAY_SIZE(intercepts),
	.without = "may show the stubs of return probes",
};
