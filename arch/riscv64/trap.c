/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - emulation at a breakpoint.
 *
 * Owns: kp_arch_emulate, kp_arch_breakpoint_stands; arch_probe.h has what
 * every hit needs of a c.ebreak.
 */
#include "probe.h"
#include "refuse.h"

KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint16_t half[2] = { 0, 0 };

	(void)starts;
	/* A whole one is of 4 bytes, whose first half others have, too. */
	if (read(half, regs->epc, sizeof(half[0])))
		return true;
	if (kp_rv_length(half[0]) == sizeof(half) && read(half, regs->epc, sizeof(half)))
		return false;
	return kp_rv_is_breakpoint((uint32_t)half[1] << 16 | half[0]);
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	(void)mem;
	return kp_rv_emulate(&ap->insn, ap->addr, kp_rv_regs(regs)) ? -EFAULT : 0;
}
