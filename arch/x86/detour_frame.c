/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * detour_frame.c - the frames of detour_entry.S and return.S, for C code.
 *
 * Owns: guards that lead back into a frame, and the check whether the frame of a jump still
 * exists.  Native hosts only.
 */
#include "probe.h"
#include "jump.h"
#include "lean.h"
#include "return.h"

#define WORDS 16		/* of ours below a jump's frame */
#define KEPT_LEN 72		/* the same of a return's */
#define SHOWN (-8)		/* what unwinders are shown: the probe's address */

extern const char kp_arch_detour_begin[], kp_arch_detour_end[],
	kp_arch_vectors_begin[], kp_arch_vectors_end[]
	__attribute__((visibility("hidden")));
extern const char kp_arch_detour_abort[], kp_arch_return_abort[],
	kp_arch_lean_abort[], kp_arch_return_lean_abort[]
	__attribute__((visibility("hidden")));

#if KP_CALLING_STUBS
extern const char kp_arch_call_begin[], kp_arch_call_end[]
	__attribute__((visibility("hidden")));

KP_TRAP_PATH static bool in_call_entry(uintptr_t ip)
{
	return ip >= (uintptr_t)kp_arch_call_begin &&
	       ip < (uintptr_t)kp_arch_call_end;
}
#else
KP_TRAP_PATH static bool in_call_entry(uintptr_t ip)
{
	(void)ip;
	return false;
}
#endif

KP_TRAP_PATH bool kp_arch_in_detour_entry(uintptr_t ip)
{
	return (ip >= (uintptr_t)kp_arch_detour_begin &&
		ip < (uintptr_t)kp_arch_detour_end) ||
	       (ip >= (uintptr_t)kp_arch_vectors_begin &&
		ip < (uintptr_t)kp_arch_vectors_end) || in_call_entry(ip);
}

/*
 * An abort wants its frame in rbx, and the words below it as they are.  One more
 * below those, which the landing uses for a return address, is nobody's.
 */
KP_TRAP_PATH static void lead_back(struct kp_arch_guard *guard,
				   const struct pt_regs *regs, const char *abort)
{
	guard->sp = (unsigned long)regs - WORDS - sizeof(long);
	guard->ip = (unsigned long)abort;
	guard->bx = (unsigned long)regs;
	guard->bp = regs->bp;
	guard->r12 = regs->r12;
	guard->r13 = regs->r13;
	guard->r14 = regs->r14;
	guard->r15 = regs->r15;
	guard->aborted = 0;
}

KP_TRAP_PATH void kp_arch_guard_detour(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	lead_back(guard, regs, kp_arch_detour_abort);
}

KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	lead_back(guard, regs, kp_arch_return_abort);
	guard->sp = (unsigned long)regs - KEPT_LEN - sizeof(long);
}

/* As for a lean handler of a hit. */
KP_TRAP_PATH void kp_arch_guard_return_lean(struct kp_arch_guard *guard,
					    const struct pt_regs *frame,
					    const struct pt_regs *regs)
{
	lead_back(guard, regs, kp_arch_return_lean_abort);
	guard->sp = (unsigned long)frame - sizeof(long);
	guard->bx = (unsigned long)frame;
}

KP_TRAP_PATH bool kp_arch_detour_overwritten(const struct pt_regs *regs,
					     uintptr_t addr,
					     const struct kp_arch_mem *mem)
{
	uintptr_t shown;

	return mem->read((uintptr_t)regs + SHOWN, &shown, sizeof(shown)) ||
	       shown != addr;
}

/*
 * A lean handler changes neither its stack pointer, below which its return address
 * stands, nor what a caller relies on; orig_ax of others is no pointer.
 */
KP_TRAP_PATH uintptr_t kp_arch_lean_tag(const struct pt_regs *frame,
					const struct pt_regs *regs)
{
	unsigned long shown_len = KP_VECTORS ? sizeof(long) : 0;

	if (regs->sp != (unsigned long)frame - shown_len - sizeof(long) ||
	    frame->orig_ax == ~0ul)
		return 0;
	return frame->orig_ax;
}

/* The frame lacks what the handler has not changed. */
KP_TRAP_PATH void kp_arch_guard_lean(struct kp_arch_guard *guard,
				     const struct pt_regs *frame,
				     const struct pt_regs *regs)
{
	lead_back(guard, regs, kp_arch_lean_abort);
	guard->sp = (unsigned long)frame - WORDS - sizeof(long);
	guard->bx = (unsigned long)frame;
}
