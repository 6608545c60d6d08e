/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/mips read a struct kp_arch_probe.
 *
 * Owns: where execution goes on behind the probed instruction.
 */
#ifndef KP_MIPS_PROBE_H
#define KP_MIPS_PROBE_H

#include "arch.h"

/* Behind the instruction, and its delay slot if it has one. */
static inline uintptr_t kp_mips_next(const struct kp_arch_probe *ap)
{
	return ap->addr + (kp_mips_has_slot(&ap->insn) ? 8 : 4);
}

static inline uintptr_t kp_mips_target(const struct kp_arch_probe *ap)
{
	return (uintptr_t)kp_mips_operand(&ap->insn, ap->addr);
}

#endif
