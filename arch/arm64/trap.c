/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.c - emulation at a breakpoint.
 *
 * Owns: kp_arch_emulate, kp_arch_breakpoint_stands; arch_probe.h has what
 * every hit needs of a brk.  A page is taken for one that is not guarded, from which indirect branches lead
 * to any landing pad: what a guarded one would keep from some of them, goes through.
 */
#include "auth.h"
#include "classify.h"

KP_TRAP_PATH bool kp_arch_breakpoint_stands(const struct pt_regs *regs, bool starts,
					    int (*read)(void *dst, uintptr_t addr, size_t len))
{
	uint32_t word;

	(void)starts;
	return read(&word, kp_arch_trap_addr(regs), sizeof(word)) ||
	       kp_a64_is_breakpoint(word);
}

KP_TRAP_PATH static uint64_t modifier_of(const struct kp_a64_insn *insn,
					 const struct kp_a64_regs *regs)
{
	if (insn->class == KP_A64_RET)
		return regs->sp;
	if (!(insn->flags & KP_A64_MODIFIER))
		return 0;
	return insn->rm == KP_A64_SP_OR_ZR ? regs->sp : regs->regs[insn->rm];
}

/* One that is not genuine is left to the slot: the processor says what becomes of it. */
KP_TRAP_PATH static int emulate_signed(const struct kp_arch_probe *ap,
				       struct kp_a64_regs *regs)
{
	const struct kp_a64_insn *insn = &ap->insn;
	uint64_t target;

	if (insn->rn == KP_A64_SP_OR_ZR ||
	    !kp_a64_authenticate(regs->regs[insn->rn], modifier_of(insn, regs),
				 insn->flags & KP_A64_KEY_B, &target))
		return -EFAULT;
	kp_a64_branch(insn, ap->addr, regs, target, false);
	return 0;
}

KP_TRAP_PATH int kp_arch_emulate(const struct kp_arch_probe *ap,
				 struct pt_regs *regs,
				 const struct kp_arch_mem *mem)
{
	struct kp_a64_regs *a64 = kp_a64_regs(regs);

	if (ap->insn.flags & KP_A64_PAC)
		return emulate_signed(ap, a64);
	return kp_a64_emulate(&ap->insn, ap->addr, a64, false, mem->read) ?
		       -EFAULT : 0;
}
