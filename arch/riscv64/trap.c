/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - emulation at a breakpoint, and going back to one.
 *
 * Owns: kp_arch_emulate, kp_arch_retry, kp_arch_breakpoint_stands; arch_probe.h has what
 * every hit needs of a c.ebreak.
 */
#include "probe.h"

/* The trap's address is the breakpoint's. */
KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	(void)regs;
}

/* c.ebreak, or ebreak, whose first half is ecall's, too. */
KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint16_t half[2];

	(void)starts;
	if (read(half, regs->epc, sizeof(half[0])) || half[0] == 0x9002)
		return true;
	return half[0] == 0x0073 && !read(half, regs->epc, sizeof(half)) && half[1] == 0x0010;
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	(void)mem;
	return kp_rv_emulate(&ap->insn, ap->addr, kp_rv_regs(regs)) ? -EFAULT : 0;
}
