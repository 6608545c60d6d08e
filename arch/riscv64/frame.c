/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.c - the frames of detour_entry.S and return.S, as C knows them.
 *
 * Owns: guards that lead back into a frame, telling whether a jump's is still there, and
 * going on at one's registers.  Native hosts only.
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"
#include "resume.h"
#include "return.h"

#define AT(field, off) _Static_assert(offsetof(struct pt_regs, field) == (off), "frame_asm.h")
AT(epc, FRAME_PC); AT(t6, FRAME_X(31)); AT(status, FRAME_STATUS); AT(badaddr, FRAME_BADADDR);
AT(cause, FRAME_CAUSE); AT(orig_a0, FRAME_ORIG_A0);
_Static_assert(sizeof(struct pt_regs) == FRAME_KEPT, "frame_asm.h");

/* Bytes of all vector registers; 0: there are none to be kept (kp_arch_vectors_start). */
extern __attribute__((visibility("hidden"))) uint32_t kp_arch_vectors_long;
uint32_t kp_arch_vectors_long;

KP_TRAP_PATH static uintptr_t frame_of(const struct pt_regs *regs)
{
	return (uintptr_t)regs;
}

/* An abort wants its frame in s1, and nothing else. */
KP_TRAP_PATH static void guard_frame(struct kp_arch_guard *guard, uintptr_t frame)
{
	guard->s[1] = frame;
}

#include "frame_words.h"

extern const char kp_arch_detour_resume[] __attribute__((visibility("hidden")));

KP_TRAP_PATH bool kp_arch_resume(struct pt_regs *regs)
{
	if (regs->epc != (uintptr_t)kp_arch_detour_resume)
		return false;
	memcpy(regs, (const void *)regs->sp, sizeof(struct kp_rv_regs));
	return true;
}
