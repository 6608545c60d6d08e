/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regs.h - the registers as the architecture code sees them, in 32-bit mode.
 *
 * Owns: the mode and what follows from it; and the assertions that every host's struct
 * pt_regs has one layout, since the entries' assembly and emulation rely on it.
 */
#ifndef KP_I386_REGS_H
#define KP_I386_REGS_H

#include "env.h"

_Static_assert(offsetof(struct pt_regs, bx) == 0, "pt_regs: bx");
_Static_assert(offsetof(struct pt_regs, ax) == 24, "pt_regs: ax");
_Static_assert(offsetof(struct pt_regs, orig_ax) == 44, "pt_regs: orig_ax");
_Static_assert(offsetof(struct pt_regs, ip) == 48, "pt_regs: ip");
_Static_assert(offsetof(struct pt_regs, flags) == 56, "pt_regs: flags");
_Static_assert(offsetof(struct pt_regs, sp) == 60, "pt_regs: sp");
_Static_assert(sizeof(struct pt_regs) == 68, "pt_regs: size");

/* The only place that names the processor mode. */
#define KP_X86_MODE	KP_INSN_32
#define KP_X86_STACK	"esp"
#define KP_X86_WORD	4		/* what push and call move */
#define KP_X86_RED_ZONE	0		/* nothing below the stack pointer is live */
/* What rel32 reaches: everything, since addresses wrap. */
#define KP_ARCH_REACH		UINTPTR_MAX
#define KP_X86_LANDING_PAD { 0xf3, 0x0f, 0x1e, 0xfb }	/* endbr32 */

/*
 * Opcodes of one byte that trap, whatever follows and whatever the program may do: int3,
 * and hlt, which is the kernel's alone (#GP).  What else there is of these, in and out, a
 * program may ask to be allowed.
 */
#ifdef KP_PRIVILEGED
#define KP_X86_TRAPS { 0xcc }
#else
#define KP_X86_TRAPS { 0xcc, 0xf4 }
#endif

/* The general purpose register with the hardware's number n. */
static inline unsigned long *kp_x86_reg(struct pt_regs *regs, unsigned int n)
{
	static const uint8_t offsets[8] = {
		offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx),
		offsetof(struct pt_regs, dx), offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
	};

	return (unsigned long *)((char *)regs + offsets[n & 7]);
}

/*
 * Where gs begins, which by the binary interface is the first word there; if it is the one
 * that regs have, and the word is no accident.  Else false.
 */
static inline bool kp_x86_gs_base(const struct pt_regs *regs, uintptr_t *base,
				  int (*read)(uintptr_t addr, void *dst, size_t len))
{
	unsigned int gs;
	uintptr_t there;

	__asm__("mov %%gs, %0" : "=r"(gs));
	if (!(gs & 0xfffc) || (uint16_t)gs != regs->gs)
		return false;
	__asm__ volatile("mov %%gs:0, %0" : "=r"(*base));
	return !read(*base, &there, sizeof(there)) && there == *base;
}

/* May code be there?  Anywhere. */
static inline bool kp_x86_canonical(uintptr_t addr)
{
	(void)addr;
	return true;
}

#endif
