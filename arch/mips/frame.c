/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.c - the frame of return.S, as C knows it.
 *
 * Owns: the guard that leads back into one.  Native hosts only.
 */
#include "frame_asm.h"
#include "probe.h"
#include "return.h"

#define AT(field, off) _Static_assert(offsetof(struct pt_regs, field) == (off), "frame_asm.h")
AT(cp0_status, FRAME_STATUS); AT(hi, FRAME_HI); AT(lo, FRAME_LO); AT(cp0_badvaddr, FRAME_BADVADDR);
AT(cp0_cause, FRAME_CAUSE); AT(cp0_epc, FRAME_EPC);
_Static_assert(sizeof(struct pt_regs) == FRAME_KEPT, "frame_asm.h");

extern const char kp_arch_return_abort[] __attribute__((visibility("hidden")));

/*
 * The abort wants its frame in s1, and room below for what a call wants.  A kernel's gp is
 * the task, anywhere.
 */
KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	guard->sp = (unsigned long)regs;
	guard->ip = (unsigned long)kp_arch_return_abort;
	guard->s[1] = (unsigned long)regs;
	__asm__("move %0, $28" : "=r"(guard->gp));
	guard->aborted = 0;
}
