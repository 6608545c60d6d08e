/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/arm see struct pt_regs.
 *
 * Owns: the assertions that every host's begins as struct kp_arm_regs does, since emulation
 * relies on it.
 */
#ifndef KP_ARM_PROBE_H
#define KP_ARM_PROBE_H

#include "arch.h"

_Static_assert(offsetof(struct pt_regs, ARM_r0) == 0, "pt_regs: r0");
_Static_assert(offsetof(struct pt_regs, ARM_pc) == offsetof(struct kp_arm_regs, pc), "pt_regs: pc");
_Static_assert(offsetof(struct pt_regs, ARM_cpsr) == offsetof(struct kp_arm_regs, cpsr),
	       "pt_regs: cpsr");

static inline uintptr_t kp_arm_next(const struct kp_arch_probe *ap)
{
	return ap->addr + ap->len;
}

#endif
