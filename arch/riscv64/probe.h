/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe.h - how the files of arch/riscv64 read a struct kp_arch_probe.
 */
#ifndef KP_RISCV64_PROBE_H
#define KP_RISCV64_PROBE_H

#include "arch.h"
#include "regs.h"

static inline uintptr_t kp_rv_next(const struct kp_arch_probe *ap)
{
	return ap->addr + ap->len;
}

#endif
