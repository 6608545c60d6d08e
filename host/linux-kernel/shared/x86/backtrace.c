// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - where x86 kernels look at return addresses for stack traces.
 *
 * Owns: intercepts where the kernel's unwinder and its printing of traces look at
 * return addresses.  A hooked call's return address is a stub's; what the
 * kernel shows, saves and unwinds by is made the real one (K-RET-44).
 *
 *   unwind_next_frame          finds a caller by state->ip: ORC and frame
 *   unwind_get_return_address  pointers alike, for stack_trace_save, perf,
 *                              /proc/PID/stack and dump_stack
 *   sprint_backtrace[_build_id]  prints a word of the stack: dump_stack, oops
 *
 * For dump_stack the word has to count as an address of kernel code, so stubs
 * lie in this module's text, as far as there is room (exec.c).
 *
 * Locks: none.
 */
#include <linux/ptrace.h>
#include <asm/unwind.h>
#include "jump.h"
#include "local.h"

/*
 * Tables say nothing of the way through a jump to its handlers: who comes there goes on in the
 * probed code.  And in a trap's frame a pre_handler finds an address one byte further, for which
 * the tables may speak of another stack.
 */
#ifdef CONFIG_UNWINDER_ORC
KP_TRAP_PATH static void into_probed(struct unwind_state *state)
{
	const struct pt_regs *hit;
	uintptr_t at;

	if (state->task != current)
		return;
	if (kp_arch_in_detour_entry(state->ip)) {
		hit = kp_core_hit_regs(&at);
		/* Of this very hit: the entry's frame is where this stack is. */
		if (!hit || (unsigned long)hit - state->sp >= 256)
			return;
		state->ip = at;
		state->sp = hit->sp;
		state->bp = hit->bp;
		state->signal = true;
		state->regs = NULL;
		state->prev_regs = NULL;
	} else if (state->regs && state->signal) {
		hit = kp_core_hit_regs(&at);
		if (hit == state->regs && state->ip == at + 1)
			state->ip = at;
	}
}
#else
KP_TRAP_PATH static inline void into_probed(struct unwind_state *state)
{
}
#endif

KP_TRAP_PATH static bool fix_state(struct kp_intercept *intercept, struct pt_regs *regs)
{
#ifndef CONFIG_UNWINDER_GUESS
	struct unwind_state *state = (void *)*kp_argument(regs, 0);

	into_probed(state);
	state->ip = kp_core_original_ip(state->ip);
#endif
	return false;
}

KP_TRAP_PATH static bool fix_print(struct kp_intercept *intercept, struct pt_regs *regs)
{
	unsigned long *address = kp_argument(regs, 1);

	*address = kp_core_original_ip(*address);
	return false;
}

static struct kp_intercept intercepts[] = {
	{ .name = "unwind_next_frame", .on_hit = fix_state },
	{ .name = "unwind_get_return_address", .on_hit = fix_state },
	{ .name = "sprint_backtrace", .on_hit = fix_print },
	{ .name = "sprint_backtrace_build_id", .on_hit = fix_print },
};

const struct kp_backtrace kp_backtrace = {
	.intercepts = intercepts,
	.nr = ARRAY_SIZE(intercepts),
	.without = "may stop at return probes",
};
