/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regs.h - the registers as the architecture code sees them, in 64-bit mode.
 *
 * Owns: the mode and what follows from it; and the assertions that every host's struct
 * pt_regs has one layout, since entry.S and emulation rely on it.
 */
#ifndef KP_X86_REGS_H
#define KP_X86_REGS_H

#include "env.h"

_Static_assert(offsetof(struct pt_regs, r15) == 0, "pt_regs: r15");
_Static_assert(offsetof(struct pt_regs, bx) == 40, "pt_regs: bx");
_Static_assert(offsetof(struct pt_regs, ax) == 80, "pt_regs: ax");
_Static_assert(offsetof(struct pt_regs, orig_ax) == 120, "pt_regs: orig_ax");
_Static_assert(offsetof(struct pt_regs, ip) == 128, "pt_regs: ip");
_Static_assert(offsetof(struct pt_regs, flags) == 144, "pt_regs: flags");
_Static_assert(offsetof(struct pt_regs, sp) == 152, "pt_regs: sp");
_Static_assert(sizeof(struct pt_regs) == 168, "pt_regs: size");

/* The only place that names the processor mode. */
#define KP_X86_MODE	KP_INSN_64
#define KP_X86_STACK	"rsp"
#define KP_X86_WORD	8		/* what push and call move */
#define KP_X86_RED_ZONE	128		/* below a user's stack pointer that much may be live */
/* What rel32 surely reaches from anywhere in a piece (core/place.c). */
#define KP_ARCH_REACH		((uintptr_t)0x7fff0000)
#define KP_X86_LANDING_PAD { 0xf3, 0x0f, 0x1e, 0xfa }	/* endbr64 */

/*
 * Opcodes of one byte that trap: int3, and those that 64-bit mode refuses
 * (#UD) whatever follows.  As the displacement's highest byte each leads 16 MB
 * somewhere else, so near and far, up and down take turns.
 */
#define KP_X86_TRAPS {								\
	0xcc, 0xea, 0x06, 0xd6, 0x0e, 0xce, 0x16, 0xd4, 0x1e, 0x27,		\
	0x2f, 0x37, 0x3f, 0x60, 0x61, 0x9a, 0x07, 0x17, 0x1f, 0x82,		\
}

/* The general purpose register with the hardware's number n. */
static inline unsigned long *kp_x86_reg(struct pt_regs *regs, unsigned int n)
{
	static const uint8_t offsets[16] = {
		offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx),
		offsetof(struct pt_regs, dx), offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
	};

	return (unsigned long *)((char *)regs + offsets[n & 15]);
}

/* Where gs begins: nothing that is not refused asks for it. */
static inline bool kp_x86_gs_base(const struct pt_regs *regs, uintptr_t *base,
				  int (*read)(uintptr_t addr, void *dst, size_t len))
{
	(void)regs;
	(void)base;
	(void)read;
	return false;
}

/*
 * May code be there?  With 57-bit addresses some of what is refused here is legal; the
 * slot's real instruction then does the work.
 */
static inline bool kp_x86_canonical(uintptr_t addr)
{
	uint64_t top = (uint64_t)addr >> 47;

	return top == 0 || top == 0x1ffff;
}

#endif
