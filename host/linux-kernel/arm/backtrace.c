// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - where arm kernels look at return addresses for stack traces.
 *
 * Owns: an intercept at the kernel's step from a frame to its caller's, by which it goes
 * whoever saves or prints the trace.  A hooked call's return address is a stub's, which no
 * unwind table covers; so the step is made in the trap, and what it has found is made the real
 * address (K-RET-44).  Who saves it may be a part of the function that makes the steps, and has
 * no place of his own to be told at.
 *
 * Locks: none.
 */
#include <linux/ptrace.h>
#include <asm/stacktrace.h>
#include "local.h"

/* (frame); from the copy of its first instruction on. */
KP_TRAP_PATH static bool on_step(struct kp_intercept *intercept, struct pt_regs *regs)
{
	struct stackframe *frame = (struct stackframe *)regs->ARM_r0;
	struct pt_regs there = { .ARM_cpsr = regs->ARM_cpsr };
	int (*step)(struct stackframe *frame);

	frame->pc = kp_core_original_ip(frame->pc);
	if (intercept->arch.class == KP_ARCH_EMULATE)
		return false;
	kp_arch_step_begin(&intercept->arch, &there, intercept->slot, false);
	step = (void *)instruction_pointer(&there);
	kp_leave_function(regs, step(frame));
	frame->pc = kp_core_original_ip(frame->pc);
	return true;
}

static struct kp_intercept intercepts[] = {
	{ .name = "unwind_frame", .on_hit = on_step },
};

const struct kp_backtrace kp_backtrace = {
	.intercepts = intercepts,
	.nr = ARRAY_SIZE(intercepts),
	.without = "may end at the stubs of return probes",
};
