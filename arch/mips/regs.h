/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regs.h - which processor this is, and its registers as the architecture code sees them.
 *
 * Owns: what follows from the compiler's target: release, width.  Releases below 6 run on
 * each other's processors, not on release 6's; so a program knows which of both it is on.
 */
#ifndef KP_ARCH_MIPS_REGS_H
#define KP_ARCH_MIPS_REGS_H

#include "insn/insn.h"

#ifndef KP_MIPS_HERE
#if defined(__mips_isa_rev) && __mips_isa_rev >= 6
#define KP_MIPS_RELEASE_HERE KP_MIPS_RELEASE6
#else
#define KP_MIPS_RELEASE_HERE 0
#endif
#define KP_MIPS_HERE (KP_MIPS_RELEASE_HERE | (sizeof(long) == 8 ? KP_MIPS_64 : 0))
#endif

_Static_assert(offsetof(struct pt_regs, lo) - offsetof(struct pt_regs, regs) ==
	       34 * sizeof(long), "pt_regs: in the kernel's order");

#endif
