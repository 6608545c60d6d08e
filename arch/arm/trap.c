/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - emulation at a breakpoint.
 *
 * Owns: kp_arch_emulate, kp_arch_breakpoint_stands; arch_probe.h has what
 * every hit needs of a breakpoint.
 */
#include "probe.h"

/* Of floating point, vectors, coprocessors: in a kernel it traps as long as they are off. */
KP_TRAP_PATH static bool may_be_off(const struct kp_arm_insn *insn, const struct pt_regs *regs)
{
	uint32_t top = insn->word >> 24;

	if (insn->thumb || !(regs->ARM_cpsr & 0xf))
		return false;
	return ((top & 0xf) >= 0xc && (top & 0xf) < 0xf) || (top & 0xfe) == 0xf2 || top == 0xf4;
}

KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	bool thumb = regs->ARM_cpsr & KP_ARM_CPSR_T;
	struct kp_arm_insn insn;
	uint32_t word = 0;

	if (read(&word, regs->ARM_pc, thumb ? 2 : 4))
		return true;
	if (thumb && kp_arm_is_wide((uint16_t)word) && read(&word, regs->ARM_pc, 4))
		return false;
	kp_arm_decode(&insn, word, thumb);
	return kp_arm_is_trap(&insn) || (!starts && may_be_off(&insn, regs));
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	return kp_arm_emulate(&ap->insn, (uint32_t)ap->addr, (struct kp_arm_regs *)regs, mem) ?
	       -EFAULT : 0;
}
