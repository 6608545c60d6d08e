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

void kp_arch_guard_abort(const struct kp_arch_guard *guard,
			 struct pt_regs *regs)
{
	(void)guard;
	regs->ip = ABANDONED;
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
	struct pt_regs regs = { .ip = 0x123 };
	bool resolved = kp_core_on_fault(&regs, trapnr);

	if (resolved && regs.ip == ABANDONED)
		longjmp(*innermost, 1);
	return resolved;
}
