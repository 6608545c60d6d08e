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
#include <linux/export.h>
#include <linux/ptrace.h>
#include <asm/stacktrace.h>
#include <kprobes/frames.h>
#include "local.h"

/*
 * The tables say what a function has pushed: at its first instruction, where a probe was hit,
 * that is nothing, and who has called stands in the link register.
 */
KP_TRAP_PATH static bool step_from_entry(struct stackframe *frame)
{
	unsigned long size, off;
	const struct pt_regs *hit;
	uintptr_t at;

	hit = kp_core_hit_regs(&at);
	if (!hit || frame->pc != at || frame->sp != hit->ARM_sp ||
	    !kp_kernel_lookup_size_offset(at, &size, &off) || off)
		return false;
	frame->pc = kp_core_original_ip(hit->ARM_lr);
	return true;
}

/* By the copy of its first instruction; not for one that is emulated. */
KP_TRAP_PATH static int step(struct kp_intercept *intercept, struct stackframe *frame,
			     unsigned long cpsr)
{
	struct pt_regs there = { .ARM_cpsr = cpsr };
	int (*kernels)(struct stackframe *frame);
	int err;

	frame->pc = kp_core_original_ip(frame->pc);
	if (step_from_entry(frame))
		return 0;
	kp_arch_step_begin(&intercept->arch, &there, intercept->slot, false);
	kernels = (void *)instruction_pointer(&there);
	err = kernels(frame);
	frame->pc = kp_core_original_ip(frame->pc);
	return err;
}

/* (frame); from the copy of its first instruction on. */
KP_TRAP_PATH static bool on_step(struct kp_intercept *intercept, struct pt_regs *regs)
{
	struct stackframe *frame = (struct stackframe *)regs->ARM_r0;

	if (intercept->arch.class == KP_ARCH_EMULATE) {
		frame->pc = kp_core_original_ip(frame->pc);
		if (!step_from_entry(frame))
			return false;
		kp_leave_function(regs, 0);
		return true;
	}
	kp_leave_function(regs, step(intercept, frame, regs->ARM_cpsr));
	return true;
}

static struct kp_intercept intercepts[] = {
	{ .name = "unwind_frame", .on_hit = on_step },
};

/*
 * The tables of modules are in a list under a lock, which the kernel takes with interrupts
 * off: who was interrupted with them on does not hold it.
 */
bool kprobes_caller(struct kprobes_frame *at, bool free)
{
	struct pt_regs regs = {
		.ARM_fp = at->fp, .ARM_sp = at->sp, .ARM_lr = at->lr, .ARM_pc = at->pc,
	};
	struct kp_intercept *intercept = &intercepts[0];
	struct stackframe frame = { 0 };

	if (!intercept->addr || intercept->arch.class == KP_ARCH_EMULATE ||
	    (!free && !kp_text_is_core(at->pc)))
		return false;
	arm_get_current_stackframe(&regs, &frame);
	if (step(intercept, &frame, SVC_MODE))
		return false;
	*at = (struct kprobes_frame){ frame.pc, frame.sp, frame.fp, frame.lr };
	return kp_host_is_code(at->pc);
}
EXPORT_SYMBOL_GPL(kprobes_caller);

const struct kp_backtrace kp_backtrace = {
	.intercepts = intercepts,
	.nr = ARRAY_SIZE(intercepts),
	.without = "may end at the stubs of return probes",
};
