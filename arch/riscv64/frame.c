/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.c - the frames of return.S, as C knows them.
 *
 * Owns: the guard that leads back into one.  Native hosts only.
 */
#include "frame_asm.h"
#include "probe.h"
#include "return.h"

#define AT(field, off) _Static_assert(offsetof(struct pt_regs, field) == (off), "frame_asm.h")
AT(epc, FRAME_PC); AT(t6, FRAME_X(31)); AT(status, FRAME_STATUS); AT(badaddr, FRAME_BADADDR);
AT(cause, FRAME_CAUSE); AT(orig_a0, FRAME_ORIG_A0);
_Static_assert(sizeof(struct pt_regs) == FRAME_KEPT, "frame_asm.h");

extern const char kp_arch_return_abort[] __attribute__((visibility("hidden")));

/* It wants the frame in sp and s1, and nothing else. */
KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	guard->sp = (unsigned long)regs;
	guard->ip = (unsigned long)kp_arch_return_abort;
	guard->s[1] = (unsigned long)regs;
	guard->aborted = 0;
}
