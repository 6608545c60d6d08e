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
AT(bx, FRAME_BX); AT(cx, FRAME_CX); AT(dx, FRAME_DX); AT(si, FRAME_SI); AT(di, FRAME_DI);
AT(bp, FRAME_BP); AT(ax, FRAME_AX); AT(ds, FRAME_DS); AT(ip, FRAME_IP); AT(flags, FRAME_FLAGS);
AT(sp, FRAME_SP); AT(ss, FRAME_SS);
_Static_assert(sizeof(struct pt_regs) == FRAME_RA, "frame_asm.h");

extern const char kp_arch_return_abort[] __attribute__((visibility("hidden")));

/* It wants the frame in ebx; the landing returns to it by the word below what is kept. */
KP_TRAP_PATH void kp_arch_guard_return(struct kp_arch_guard *guard,
				       struct pt_regs *regs)
{
	guard->sp = (unsigned long)regs - KEPT_LEN - sizeof(long);
	guard->ip = (unsigned long)kp_arch_return_abort;
	guard->bx = (unsigned long)regs;
	guard->aborted = 0;
}
