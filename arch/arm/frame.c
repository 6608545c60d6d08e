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

extern const char kp_arch_detour_begin[], kp_arch_detour_end[],
	kp_arch_vectors_begin[], kp_arch_vectors_end[]
	__attribute__((visibility("hidden")));
extern const char kp_arch_detour_abort[], kp_arch_return_abort[]
	__attribute__((visibility("hidden")));

KP_TRAP_PATH bool kp_arch_in_detour_entry(uintptr_t ip)
{
	return (ip >= (uintptr_t)kp_arch_detour_begin &&
		ip < (uintptr_t)kp_arch_detour_end) ||
	       (ip >= (uintptr_t)kp_arch_vectors_begin &&
		ip < (uintptr_t)kp_arch_vectors_end);
}

/* An abort wants its frame in r4, and nothing else. */
KP_TRAP_PATH static void lead_back(struct kp_arch_guard *guard, uintptr_t frame,
				   uintptr_t sp, const char *abort)
{
	guard->sp = sp;
	guard->ip = (unsigned long)abort;
	guard->r4[0] = frame;
	guard->aborted = 0;
}

KP_TRAP_PATH void kp_arch_guard_detour(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	uintptr_t frame = (uintptr_t)regs;
	uintptr_t image = *(const uintptr_t *)(frame + FRAME_IMAGE);

	lead_back(guard, frame, image ? image : frame & ~(uintptr_t)7, kp_arch_detour_abort);
}

KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	lead_back(guard, (uintptr_t)regs, (uintptr_t)regs, kp_arch_return_abort);
}

KP_TRAP_PATH bool kp_arch_detour_overwritten(const struct pt_regs *regs,
					     uintptr_t addr,
					     const struct kp_arch_mem *mem)
{
	uintptr_t shown;

	return mem->read((uintptr_t)regs + FRAME_SHOWN, &shown, sizeof(shown)) ||
	       shown != addr;
}

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
