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

extern const char kp_arch_detour_begin[], kp_arch_detour_end[],
	kp_arch_vectors_begin[], kp_arch_vectors_end[]
	__attribute__((visibility("hidden")));
extern const char kp_arch_detour_abort[], kp_arch_return_abort[],
	kp_arch_detour_resume[] __attribute__((visibility("hidden")));

KP_TRAP_PATH bool kp_arch_in_detour_entry(uintptr_t ip)
{
	return (ip >= (uintptr_t)kp_arch_detour_begin &&
		ip < (uintptr_t)kp_arch_detour_end) ||
	       (ip >= (uintptr_t)kp_arch_vectors_begin &&
		ip < (uintptr_t)kp_arch_vectors_end);
}

KP_TRAP_PATH static uintptr_t frame_of(const struct pt_regs *regs)
{
	return (uintptr_t)regs - FRAME_REGS;
}

/* An abort wants its frame in x19, and nothing else. */
KP_TRAP_PATH static void lead_back(struct kp_arch_guard *guard, uintptr_t frame,
				   uintptr_t sp, const char *abort)
{
	guard->sp = sp;
	guard->ip = (unsigned long)abort;
	guard->x[0] = frame;
	guard->x[10] = frame;		/* x29 */
	guard->aborted = 0;
}

KP_TRAP_PATH void kp_arch_guard_detour(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	uintptr_t frame = frame_of(regs);
	uintptr_t image = *(const uintptr_t *)(frame + FRAME_IMAGE);

	lead_back(guard, frame, image ? image : frame, kp_arch_detour_abort);
}

KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	lead_back(guard, frame_of(regs), frame_of(regs), kp_arch_return_abort);
}

KP_TRAP_PATH bool kp_arch_detour_overwritten(const struct pt_regs *regs,
					     uintptr_t addr,
					     const struct kp_arch_mem *mem)
{
	uintptr_t shown;

	return mem->read(frame_of(regs) + FRAME_SHOWN, &shown, sizeof(shown)) ||
	       shown != addr;
}

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
