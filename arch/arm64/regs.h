/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regs.h - the registers as the architecture code sees them.
 *
 * Owns: the assertions that every host's struct pt_regs begins as struct kp_a64_regs
 * does, since assembly and emulation rely on it.
 */
#ifndef KP_ARCH_ARM64_REGS_H
#define KP_ARCH_ARM64_REGS_H

#include "emulate.h"

_Static_assert(offsetof(struct pt_regs, regs) == 0, "pt_regs: regs");
_Static_assert(offsetof(struct pt_regs, sp) == 248, "pt_regs: sp");
_Static_assert(offsetof(struct pt_regs, pc) == 256, "pt_regs: pc");
_Static_assert(offsetof(struct pt_regs, pstate) == 264, "pt_regs: pstate");
_Static_assert(offsetof(struct kp_a64_regs, sp) == 248, "kp_a64_regs: sp");
_Static_assert(offsetof(struct kp_a64_regs, pc) == 256, "kp_a64_regs: pc");
_Static_assert(offsetof(struct kp_a64_regs, pstate) == 264, "kp_a64_regs: pstate");

static inline struct kp_a64_regs *kp_a64_regs(struct pt_regs *regs)
{
	return (struct kp_a64_regs *)regs;
}

#endif
