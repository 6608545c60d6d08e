/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emulate.c - MIPS instructions that read or write the PC, away from their place.
 *
 * Owns: kp_mips_emulate, kp_mips_is_taken.  Invariants: everything is computed from the address that is given,
 * never from regs->cp0_epc; regs change only where it succeeds.
 */
#include "emulate.h"

#define LDPC_BITS 0x00180000u		/* lwpc 01, lwupc 10, ldpc 11 */
#define LWUPC 0x00100000u

KP_TRAP_PATH static unsigned long reg_of(const struct pt_regs *regs, unsigned int nr)
{
	return nr == KP_MIPS_NO_REG ? 0 : regs->regs[nr];
}

KP_TRAP_PATH static void set_reg(struct pt_regs *regs, unsigned int nr, unsigned long value)
{
	if (nr != KP_MIPS_ZERO && nr != KP_MIPS_NO_REG)
		regs->regs[nr] = value;
}

/* Neither is a number of 32 bits, or their sum is none. */
KP_TRAP_PATH static bool overflows(unsigned long a, unsigned long b)
{
	int64_t sum = (int64_t)(int32_t)a + (int32_t)b;

	return (long)(int32_t)a != (long)a || (long)(int32_t)b != (long)b || (int32_t)sum != sum;
}

KP_TRAP_PATH bool kp_mips_is_taken(const struct kp_mips_insn *insn, const struct pt_regs *regs)
{
	unsigned long a = reg_of(regs, insn->a), b = reg_of(regs, insn->b);

	switch (insn->cond) {
	case KP_MIPS_EQ:
		return a == b;
	case KP_MIPS_NE:
		return a != b;
	case KP_MIPS_GE:
		return (long)a >= (long)b;
	case KP_MIPS_LT:
		return (long)a < (long)b;
	case KP_MIPS_GEU:
		return a >= b;
	case KP_MIPS_LTU:
		return a < b;
	case KP_MIPS_OVERFLOW:
		return overflows(a, b);
	case KP_MIPS_NO_OVERFLOW:
		return !overflows(a, b);
	case KP_MIPS_LEZ:
		return (long)a <= 0;
	case KP_MIPS_GTZ:
		return (long)a > 0;
	case KP_MIPS_LTZ:
		return (long)a < 0;
	case KP_MIPS_GEZ:
		return (long)a >= 0;
	default:
		return true;
	}
}

/* lwpc lwupc ldpc */
KP_TRAP_PATH static int load(const struct kp_mips_insn *insn, uintptr_t from,
			     struct pt_regs *regs, const struct kp_arch_mem *mem)
{
	uint32_t kind = insn->word & LDPC_BITS, word;
	uint64_t both;

	if (kind == LDPC_BITS) {
		if (mem->read(from, &both, sizeof(both)))
			return -EFAULT;
		set_reg(regs, insn->rd, (unsigned long)both);
		return 0;
	}
	if (mem->read(from, &word, sizeof(word)))
		return -EFAULT;
	set_reg(regs, insn->rd, kind == LWUPC ? word : (unsigned long)(long)(int32_t)word);
	return 0;
}

KP_TRAP_PATH int kp_mips_emulate(const struct kp_mips_insn *insn, uintptr_t addr,
				 struct pt_regs *regs, const struct kp_arch_mem *mem)
{
	uintptr_t next = addr + (kp_mips_has_slot(insn) ? 8 : 4), to = next;
	uintptr_t operand = (uintptr_t)kp_mips_operand(insn, addr);

	switch (insn->class) {
	case KP_MIPS_JUMP:
		to = operand;
		break;
	case KP_MIPS_JUMP_REG:
		to = reg_of(regs, insn->a);
		break;
	case KP_MIPS_COMPACT_REG:
		to = reg_of(regs, insn->a) + (unsigned long)(long)insn->offset;
		break;
	case KP_MIPS_BRANCH:
	case KP_MIPS_COMPACT:
		if (kp_mips_is_taken(insn, regs))
			to = operand;
		break;
	case KP_MIPS_ADDRESS:
		set_reg(regs, insn->rd, operand);
		break;
	case KP_MIPS_LOAD_RELATIVE:
		if (load(insn, operand, regs, mem))
			return -EFAULT;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (insn->flags & KP_MIPS_LINK)
		set_reg(regs, insn->rd, next);
	regs->cp0_epc = to;
	return 0;
}
