/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - emulation at a breakpoint, and going back to one.
 *
 * Owns: kp_arch_emulate and kp_arch_retry; arch_probe.h has what every hit needs of a
 * c.ebreak.
 */
#include "probe.h"

/* The trap's address is the breakpoint's. */
KP_TRAP_PATH void kp_arch_retry(struct pt_regs *regs)
{
	(void)regs;
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	(void)mem;
	return kp_rv_emulate(&ap->insn, ap->addr, kp_rv_regs(regs)) ? -EFAULT : 0;
}
