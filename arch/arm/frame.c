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
AT(ARM_sp, FRAME_SP); AT(ARM_lr, FRAME_LR); AT(ARM_pc, FRAME_PC); AT(ARM_cpsr, FRAME_CPSR);
AT(ARM_ORIG_r0, FRAME_ORIG_R0);
_Static_assert(sizeof(struct pt_regs) == FRAME_KEPT, "frame_asm.h");

extern const char kp_arch_return_abort[] __attribute__((visibility("hidden")));

/* An abort wants its frame in r4, and nothing else. */
KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	guard->sp = (unsigned long)regs;
	guard->ip = (unsigned long)kp_arch_return_abort;
	guard->r4[0] = (unsigned long)regs;
	guard->aborted = 0;
}
