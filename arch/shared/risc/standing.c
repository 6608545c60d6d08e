/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * standing.c - traps and returns on processors whose breakpoint leaves the PC where it is and
 * whose return does not pop.
 *
 * Owns: what follows from that: going back to a breakpoint, and whether a call's frame is left.
 */
#include "probe.h"
#include "return.h"

/* The trap's address is the breakpoint's. */
KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	(void)regs;
}

/*
 * A function that is called in place of a return has the stack pointer of the one
 * before, whose call still lasts.
 */
KP_TRAP_PATH bool kp_arch_stack_left(uintptr_t frame, uintptr_t sp)
{
	return frame < sp;
}
