/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_frame.c - the frames of detour_entry.S and return.S, as C knows them.
 *
 * Owns: guards that lead back into a frame, telling whether a jump's is still there,
 * and going on at one's registers.  Native hosts only.
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"
#include "resume.h"
#include "return.h"

#define NZCV (0xful << 28)

KP_TRAP_PATH static uintptr_t frame_of(const struct pt_regs *regs)
{
	return (uintptr_t)regs - FRAME_REGS;
}

/* An abort wants its frame in x19, and nothing else. */
KP_TRAP_PATH static void guard_frame(struct kp_arch_guard *guard, uintptr_t frame)
{
	guard->x[0] = frame;
	guard->x[10] = frame;		/* x29 */
}

#include "frame_words.h"

extern const char kp_arch_detour_resume[] __attribute__((visibility("hidden")));

KP_TRAP_PATH bool kp_arch_resume(struct pt_regs *regs)
{
	unsigned long pstate = regs->pstate & ~NZCV;

	if (regs->pc != (uintptr_t)kp_arch_detour_resume)
		return false;
	memcpy(regs, (const void *)(regs->sp + FRAME_REGS),
	       sizeof(struct kp_a64_regs));
	regs->pstate = pstate | (regs->pstate & NZCV);
	return true;
}
