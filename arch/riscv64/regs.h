/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regs.h - the registers as the architecture code sees them.
 *
 * Owns: the assertions that every host's struct pt_regs begins as struct kp_rv_regs does,
 * since emulation relies on it.
 */
#ifndef KP_ARCH_RISCV64_REGS_H
#define KP_ARCH_RISCV64_REGS_H

#include "emulate.h"

_Static_assert(offsetof(struct pt_regs, epc) == 0, "pt_regs: epc");
_Static_assert(offsetof(struct pt_regs, ra) == 8, "pt_regs: x1");
_Static_assert(offsetof(struct pt_regs, sp) == 16, "pt_regs: x2");
_Static_assert(offsetof(struct pt_regs, a0) == 80, "pt_regs: x10");
_Static_assert(offsetof(struct pt_regs, t6) == 248, "pt_regs: x31");
_Static_assert(sizeof(struct kp_rv_regs) == 256, "kp_rv_regs: x31");

static inline struct kp_rv_regs *kp_rv_regs(struct pt_regs *regs)
{
	return (struct kp_rv_regs *)regs;
}

#endif
