/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.c - the frames of detour_entry.S and return.S, as C knows them.
 *
 * Owns: guards that lead back into a frame, telling whether a jump's is still there, and where
 * one's registers go on.  Native hosts only.
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"
#include "return.h"

#define AT(field, off) _Static_assert(offsetof(struct pt_regs, field) == (off), "frame_asm.h")
AT(ARM_sp, FRAME_SP); AT(ARM_lr, FRAME_LR); AT(ARM_pc, FRAME_PC); AT(ARM_cpsr, FRAME_CPSR);
AT(ARM_ORIG_r0, FRAME_ORIG_R0);
_Static_assert(sizeof(struct pt_regs) == FRAME_KEPT, "frame_asm.h");
#define FOLLOWS(field, before) _Static_assert((field) == (before) + 4, "detour_entry.S: complete")
FOLLOWS(FRAME_CPSR, FRAME_PC); FOLLOWS(FRAME_ORIG_R0, FRAME_CPSR); FOLLOWS(FRAME_SHOWN, FRAME_ORIG_R0);
FOLLOWS(FRAME_IMAGE, FRAME_SHOWN); FOLLOWS(FRAME_SITE, FRAME_IMAGE); FOLLOWS(FRAME_BACK, FRAME_SITE);
FOLLOWS(DETOUR_LEN, FRAME_BACK);

KP_TRAP_PATH static uintptr_t frame_of(const struct pt_regs *regs)
{
	return (uintptr_t)regs;
}

/* An abort wants its frame in r4, and nothing else. */
KP_TRAP_PATH static void guard_frame(struct kp_arch_guard *guard, uintptr_t frame)
{
	guard->r4[0] = frame;
}

#include "frame_words.h"

/* In detour_entry.S: where a frame goes on, with bit 0 for T32. */
uintptr_t kp_arm_target(const struct pt_regs *regs);

/*
 * A handler may have set the PC to what a pointer to a function is, or to the return address:
 * both say the set.  Else it stays in the one where it was.
 */
KP_TRAP_PATH uintptr_t kp_arm_target(const struct pt_regs *regs)
{
	uintptr_t shown = *(const uintptr_t *)((uintptr_t)regs + FRAME_SHOWN);

	if (kp_arm_names_set(regs, shown))
		return regs->ARM_pc;
	return regs->ARM_pc | !!(regs->ARM_cpsr & KP_ARM_CPSR_T);
}
