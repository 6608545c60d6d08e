/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emulate.c - RISC-V instructions that read or write the PC, away from their place.
 *
 * Owns: kp_rv_emulate.  Invariants: everything is computed from the address that is given,
 * never from regs->pc; none of them touches memory, so none can fail.
 */
#include "emulate.h"

KP_TRAP_PATH static uint64_t reg_of(const struct kp_rv_regs *regs, unsigned int nr)
{
	return nr == KP_RV_ZERO ? 0 : regs->x1[nr - 1];
}

KP_TRAP_PATH static void set_reg(struct kp_rv_regs *regs, unsigned int nr, uint64_t value)
{
	if (nr != KP_RV_ZERO)
		regs->x1[nr - 1] = value;
}

KP_TRAP_PATH static bool is_taken(const struct kp_rv_insn *insn, const struct kp_rv_regs *regs)
{
	uint64_t a = reg_of(regs, insn->rs1), b = reg_of(regs, insn->rs2);

	switch (insn->cond) {
	case KP_RV_EQ:
		return a == b;
	case KP_RV_NE:
		return a != b;
	case KP_RV_LT:
		return (int64_t)a < (int64_t)b;
	case KP_RV_GE:
		return (int64_t)a >= (int64_t)b;
	case KP_RV_LTU:
		return a < b;
	default:
		return a >= b;
	}
}

KP_TRAP_PATH int kp_rv_emulate(const struct kp_rv_insn *insn, uint64_t addr,
			       struct kp_rv_regs *regs)
{
	uint64_t next = addr + insn->len, operand = kp_rv_operand(insn, addr), to = next;

	switch (insn->class) {
	case KP_RV_JAL:
		set_reg(regs, insn->rd, next);
		to = operand;
		break;
	case KP_RV_JALR:
		/* The target first: rd may be rs1. */
		to = (reg_of(regs, insn->rs1) + (uint64_t)insn->offset) & ~1ull;
		set_reg(regs, insn->rd, next);
		break;
	case KP_RV_BRANCH:
		if (is_taken(insn, regs))
			to = operand;
		break;
	case KP_RV_AUIPC:
		set_reg(regs, insn->rd, operand);
		break;
	default:
		return -EOPNOTSUPP;
	}
	regs->pc = to;
	return 0;
}
