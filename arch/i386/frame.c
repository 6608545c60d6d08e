/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frame.c - the frames of return.S and detour_entry.S, as C knows them.
 *
 * Owns: the guards that lead back into one, telling whether a jump's is still there, and
 * going on at one's registers.  Native hosts only.
 */
#include "frame_asm.h"
#include "probe.h"
#include "jump.h"
#include "resume.h"
#include "return.h"

#define AT(field, off) _Static_assert(offsetof(struct pt_regs, field) == (off), "frame_asm.h")
AT(bx, FRAME_BX); AT(cx, FRAME_CX); AT(dx, FRAME_DX); AT(si, FRAME_SI); AT(di, FRAME_DI);
AT(bp, FRAME_BP); AT(ax, FRAME_AX); AT(ds, FRAME_DS); AT(ip, FRAME_IP); AT(flags, FRAME_FLAGS);
AT(sp, FRAME_SP); AT(ss, FRAME_SS);
_Static_assert(sizeof(struct pt_regs) == FRAME_RA, "frame_asm.h");

extern const char kp_arch_detour_begin[], kp_arch_detour_end[], kp_arch_detour_abort[],
	kp_arch_detour_resume[], kp_arch_return_abort[] __attribute__((visibility("hidden")));

KP_TRAP_PATH bool kp_arch_in_detour_entry(uintptr_t ip)
{
	return ip >= (uintptr_t)kp_arch_detour_begin && ip < (uintptr_t)kp_arch_detour_end;
}

/* An abort wants its frame in ebx; the landing returns to it by a word below ours. */
KP_TRAP_PATH static void lead_back(struct kp_arch_guard *guard, const struct pt_regs *regs,
				   unsigned long ours, const char *abort)
{
	guard->sp = (unsigned long)regs - ours - sizeof(long);
	guard->ip = (unsigned long)abort;
	guard->bx = (unsigned long)regs;
	guard->aborted = 0;
}

KP_TRAP_PATH void kp_arch_guard_detour(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	lead_back(guard, regs, -FRAME_IMAGE, kp_arch_detour_abort);
}

KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	lead_back(guard, regs, KEPT_LEN, kp_arch_return_abort);
}

KP_TRAP_PATH bool kp_arch_detour_overwritten(const struct pt_regs *regs,
					     uintptr_t addr,
					     const struct kp_arch_mem *mem)
{
	uintptr_t shown;

	return mem->read((uintptr_t)regs + FRAME_SHOWN, &shown, sizeof(shown)) ||
	       shown != addr;
}

/* Segments stay the trap's: a kernel keeps notes of its own beside them. */
KP_TRAP_PATH bool kp_arch_resume(struct pt_regs *regs)
{
	const struct pt_regs *frame = (const struct pt_regs *)regs->bx;

	if (kp_arch_trap_addr(regs) != (uintptr_t)kp_arch_detour_resume)
		return false;
	regs->ax = frame->ax;
	regs->bx = frame->bx;
	regs->cx = frame->cx;
	regs->dx = frame->dx;
	regs->si = frame->si;
	regs->di = frame->di;
	regs->bp = frame->bp;
	regs->sp = frame->sp;
	regs->ip = frame->ip;
	regs->flags = frame->flags;
	return true;
}
