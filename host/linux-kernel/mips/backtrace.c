// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - where MIPS kernels look at return addresses for stack traces.
 *
 * Owns: an intercept where the kernel's unwinder is asked for the next one, in whose place we
 * are called.  A hooked call's is a stub's; what is shown and saved, and goes on from there,
 * is made the real one (K-RET-44).  From an exception on a task's own stack, as a probe's hit is
 * one, the kernel's goes on to nowhere; here to what was interrupted.  And it reads at a function's beginning how large the frame
 * is and where the return address is: where a probe's breakpoint stands in front of that, we do.
 *
 * Locks: none.
 */
#include <linux/export.h>
#include <linux/ptrace.h>
#include <kprobes/frames.h>
#include "local.h"

struct frame {
	unsigned long size, ra_at;	/* 0: not seen */
};

/* Further than any begins. */
#define INSNS_MAX 128

/* addiu sp, sp, -size or daddiu; sw ra, at(sp) or sd */
static void look_at(struct frame *frame, u32 insn)
{
	if ((insn & 0xbfff8000) == 0x27bd8000 && !frame->size)
		frame->size = -(long)(s16)insn;
	else if ((insn & 0xffff8000) == (IS_ENABLED(CONFIG_64BIT) ? 0xffbf0000 : 0xafbf0000))
		frame->ra_at = insn & 0x7fff;
}

/* Does a breakpoint of a probe's stand before pc where the frame is made? */
static bool is_hidden(struct frame *frame, unsigned long pc)
{
	unsigned long size, off, at;
	bool hidden = false;
	u32 insn;

	if (!kp_kernel_lookup_size_offset(pc, &size, &off))
		return false;
	for (at = pc - off; at < pc && at < pc - off + 4 * INSNS_MAX && !frame->ra_at; at += 4) {
		if (kp_core_under(at, (uint8_t *)&insn))
			hidden = true;
		else if (kp_host_text_read(&insn, at, sizeof(insn)))
			return false;
		look_at(frame, insn);
	}
	return hidden && frame->size;
}

static bool look(struct frame *frame, unsigned long pc)
{
	bool hidden;

	/* Sites stay until this is over. */
	preempt_disable();
	hidden = is_hidden(frame, pc);
	preempt_enable();
	return hidden;
}

static struct kp_intercept intercepts[1];

/* The struct pt_regs is at sp. */
static unsigned long leave_exception(unsigned long *sp, unsigned long *ra)
{
	unsigned long above, link, pc;

	if (kp_host_data_read(*sp + offsetof(struct pt_regs, cp0_epc), &pc, sizeof(pc)) ||
	    kp_host_data_read(*sp + offsetof(struct pt_regs, regs[29]), &above, sizeof(above)) ||
	    kp_host_data_read(*sp + offsetof(struct pt_regs, regs[31]), &link, sizeof(link)) ||
	    above <= *sp || !kp_host_is_code(kp_core_original_ip(pc)))
		return 0;
	*sp = above;
	*ra = kp_core_original_ip(link);
	return kp_core_original_ip(pc);
}

/* As the kernel's, which the intercept's copy begins. */
static unsigned long unwind(struct task_struct *task, unsigned long *sp, unsigned long pc,
			    unsigned long *ra)
{
	unsigned long (*kernels)(struct task_struct *task, unsigned long *sp, unsigned long pc,
				 unsigned long *ra) = (void *)intercepts[0].slot;
	struct frame frame = { 0 };
	unsigned long to;

	if (pc == kp_trap_returns)
		return leave_exception(sp, ra);
	if (!look(&frame, pc) || (!frame.ra_at && !*ra))
		return kp_core_original_ip(kernels(task, sp, pc, ra));
	if (!frame.ra_at)
		to = *ra;		/* not saved yet */
	else if (kp_host_data_read(*sp + frame.ra_at, &to, sizeof(to)))
		return 0;
	*sp += frame.size;
	*ra = 0;
	to = kp_core_original_ip(to);
	return kp_host_is_code(to) ? to : 0;
}

KP_TRAP_PATH static bool on_unwind(struct kp_intercept *intercept, struct pt_regs *regs)
{
	/* Its first instruction is copied: it makes a frame. */
	if (intercept->arch.class == KP_ARCH_EMULATE)
		return false;
	regs->cp0_epc = (unsigned long)unwind;
	return true;
}

static struct kp_intercept intercepts[1] = {
	{ .name = "unwind_stack", .on_hit = on_unwind },
};

/* It takes no lock. */
bool kprobes_caller(struct kprobes_frame *at, bool free)
{
	/* As in on_unwind(). */
	if (!intercepts[0].addr || intercepts[0].arch.class == KP_ARCH_EMULATE)
		return false;
	at->pc = unwind(current, &at->sp, at->pc, &at->lr);
	return at->pc;
}
EXPORT_SYMBOL_GPL(kprobes_caller);

const struct kp_backtrace kp_backtrace = {
	.intercepts = intercepts,
	.nr = ARRAY_SIZE(intercepts),
	.without = "end at the stubs of return probes",
};
