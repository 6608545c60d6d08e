/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame_words.h - the frames of detour_entry.S and return.S, as far as processors whose
 * instructions are words have them alike.
 *
 * Owns: guards that lead back into a frame, and telling whether a jump's is still there.
 * Before it are frame_asm.h, frame_of(regs), where the frame of these registers begins, and
 * guard_frame(guard, frame), which puts that where an abort wants it.  Trap path.
 */
#ifndef KP_ARCH_WORDS_FRAME_WORDS_H
#define KP_ARCH_WORDS_FRAME_WORDS_H

extern const char kp_arch_detour_begin[], kp_arch_detour_end[],
	kp_arch_vectors_begin[], kp_arch_vectors_end[]
	__attribute__((visibility("hidden")));
extern const char kp_arch_detour_abort[], kp_arch_return_abort[]
	__attribute__((visibility("hidden")));

/* What a stack pointer is a multiple of, where functions are called. */
#define KP_STACK_STEP (2 * sizeof(uintptr_t))

KP_TRAP_PATH bool kp_arch_in_detour_entry(uintptr_t ip)
{
	return (ip >= (uintptr_t)kp_arch_detour_begin &&
		ip < (uintptr_t)kp_arch_detour_end) ||
	       (ip >= (uintptr_t)kp_arch_vectors_begin &&
		ip < (uintptr_t)kp_arch_vectors_end);
}

KP_TRAP_PATH static void lead_back(struct kp_arch_guard *guard, uintptr_t frame,
				   uintptr_t sp, const char *abort)
{
	guard->sp = sp;
	guard->ip = (unsigned long)abort;
	guard_frame(guard, frame);
	guard->aborted = 0;
}

KP_TRAP_PATH void kp_arch_guard_detour(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	uintptr_t frame = frame_of(regs);
	uintptr_t image = *(const uintptr_t *)(frame + FRAME_IMAGE);

	lead_back(guard, frame, image ? image : frame & ~(KP_STACK_STEP - 1),
		  kp_arch_detour_abort);
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

#endif
