// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - where arm kernels look at return addresses for stack traces.
 *
 * Owns: intercepts where the kernel's unwinder takes a return address up, to go on from it,
 * and where it hands one over to whoever saves or prints the trace.  A hooked call's is a
 * stub's, which no unwind table covers; what is gone on from, shown and saved is made the real
 * one (K-RET-44).
 *
 * Locks: none.
 */
#include <linux/ptrace.h>
#include <asm/stacktrace.h>
#include "local.h"

/* (frame, ...) */
KP_TRAP_PATH static bool fix_frame(struct kp_intercept *intercept, struct pt_regs *regs)
{
	struct stackframe *frame = (struct stackframe *)regs->ARM_r0;

	(void)intercept;
	frame->pc = kp_core_original_ip(frame->pc);
	return false;
}

/* (this function, where it was called from, ...) */
KP_TRAP_PATH static bool fix_two(struct kp_intercept *intercept, struct pt_regs *regs)
{
	(void)intercept;
	regs->ARM_r0 = kp_core_original_ip(regs->ARM_r0);
	regs->ARM_r1 = kp_core_original_ip(regs->ARM_r1);
	return false;
}

static struct kp_intercept intercepts[] = {
	{ .name = "unwind_frame", .on_hit = fix_frame },
	{ .name = "save_trace", .on_hit = fix_frame },
	{ .name = "callchain_trace", .on_hit = fix_frame },
	{ .name = "dump_backtrace_entry", .on_hit = fix_two },
};

const struct kp_backtrace kp_backtrace = {
	.intercepts = intercepts,
	.nr = ARRAY_SIZE(intercepts),
	.without = "may end at the stubs of return probes",
};
