/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard.c - guarded calls without assembly.
 *
 * Owns: the stand-in for entry.S, so that the core's tests run on any CPU.  In
 * the simulation a handler "faults" by calling sim_handler_fault(), which
 * reports it to the core and leaves the handler when the core says so.
 */
#include <setjmp.h>

#include "arch.h"
#include "sim.h"
#include "sim_fault.h"
#include "jump.h"
#include "return.h"
#include "vectors.h"

/* Where stubs, heads and slots go; nothing runs there. */
const char kp_arch_return_entry[16] = { 0 };
const char kp_arch_detour_entry[16] = { 0 };
const char kp_arch_post_entry[16] = { 0 };

#define ABANDONED ((unsigned long)0xdead)

static jmp_buf *innermost;

long kp_arch_guard_call(struct kp_arch_guard *guard, void *fn, void *a, void *b,
			unsigned long c)
{
	long (*call)(void *, void *, unsigned long);
	jmp_buf here, *outer = innermost;
	long value = 0;

	memcpy(&call, &fn, sizeof(call));
	guard->aborted = 0;
	if (!setjmp(here)) {
		innermost = &here;
		value = call(a, b, c);
	} else {
		guard->aborted = 1;
	}
	innermost = outer;
	return value;
}

long kp_arch_guard_pre(struct kp_context *ctx, struct kp_child *child,
		       struct pt_regs *regs, struct kp_arch_guard *guard)
{
	jmp_buf here, *outer = innermost;
	long ran = 0;

	guard->aborted = 0;
	if (!setjmp(here)) {
		innermost = &here;
		ran = kp_core_on_pre(ctx, child, regs);
	} else {
		guard->aborted = 1;
	}
	innermost = outer;
	return ran;
}

void kp_arch_guard_abort(const struct kp_arch_guard *guard,
			 struct pt_regs *regs)
{
	(void)guard;
	regs->pc = ABANDONED;
}

/* What was to be kept last. */
unsigned int sim_kept;

void kp_arch_keeping(unsigned int keep, void (*fn)(void *arg), void *arg)
{
	sim_kept = keep;
	fn(arg);
}

/* There are no jumps to run through in the simulation. */
void kp_arch_guard_detour(struct kp_arch_guard *guard, struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}

void kp_arch_guard_return(struct kp_arch_guard *guard, struct pt_regs *regs)
{
	(void)guard;
	(void)regs;
}

void sim_return(struct pt_regs *regs)
{
	jmp_buf here, *outer = innermost;

	if (!setjmp(here)) {
		innermost = &here;
		kp_core_on_return(regs);
	} else {
		kp_core_on_return_abort(regs);
	}
	innermost = outer;
}

/* Each handler that is abandoned leads back here. */
bool sim_framed_trap(struct pt_regs *regs)
{
	struct kp_context *volatile ctx = kp_host_enter();
	jmp_buf here, *outer = innermost;
	volatile bool aborted = false;
	bool ours;

	if (setjmp(here))
		aborted = true;
	innermost = &here;
	ours = aborted ? kp_core_on_framed_trap_abort(regs) :
			 kp_core_on_framed_trap(regs, ctx);
	innermost = outer;
	kp_host_leave(ctx);
	return ours;
}

void sim_framed_tracer(struct pt_regs *regs, uintptr_t addr, bool redirects)
{
	struct kp_context *volatile ctx = kp_host_enter();
	jmp_buf here, *outer = innermost;
	volatile bool aborted = false;

	if (setjmp(here))
		aborted = true;
	innermost = &here;
	if (aborted)
		kp_core_on_framed_tracer_abort(regs);
	else
		kp_core_on_framed_tracer(addr, ctx, redirects, regs);
	innermost = outer;
	kp_host_leave(ctx);
}

bool kp_arch_detour_overwritten(const struct pt_regs *regs, uintptr_t addr,
				const struct kp_arch_mem *mem)
{
	(void)regs;
	(void)addr;
	(void)mem;
	return false;
}

bool kp_arch_in_detour_entry(uintptr_t ip)
{
	(void)ip;
	return false;
}

bool sim_handler_fault(int trapnr)
{
	struct pt_regs regs = { .pc = 0x123 };
	bool resolved = kp_core_on_fault(&regs, trapnr);

	if (resolved && regs.pc == ABANDONED)
		longjmp(*innermost, 1);
	return resolved;
}
