/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - emulation at a breakpoint.
 *
 * Owns: kp_arch_emulate, kp_arch_breakpoint_stands; arch_probe.h has what
 * every hit needs of a break.
 */
#include "emulate.h"
#include "refuse.h"

KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	struct kp_mips_insn insn;
	uint32_t word;

	(void)starts;
	if (read(&word, regs->cp0_epc, sizeof(word)) || kp_mips_is_breakpoint(word))
		return true;
	/* Somebody's in a delay slot has the branch's address. */
	kp_mips_decode(&insn, word, KP_MIPS_HERE);
	return kp_mips_has_slot(&insn) && (read(&word, regs->cp0_epc + 4, sizeof(word)) ||
					   kp_mips_is_breakpoint(word));
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	return kp_mips_emulate(&ap->insn, ap->addr, regs, mem) ? -EFAULT : 0;
}
