/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emulate.c - A64 instructions that read or write the PC, away from their place.
 *
 * Owns: kp_a64_emulate, kp_a64_branch, kp_a64_move, kp_a64_may_land.  Invariants: everything is
 * computed from the address that is given, never from regs->pc; registers change only
 * after the last read of memory has succeeded; an emulated instruction leaves the
 * BTYPE that the real one leaves.
 */
#include "emulate.h"

/* Eight conditions, and by the lowest bit their opposites; but 15 is "always", as 14. */
KP_TRAP_PATH static bool holds(unsigned int cond, uint64_t pstate)
{
	bool n = pstate & KP_A64_PSTATE_N, z = pstate & KP_A64_PSTATE_Z;
	bool c = pstate & KP_A64_PSTATE_C, v = pstate & KP_A64_PSTATE_V;
	const bool is[8] = {
		z,		/* eq */
		c,		/* cs */
		n,		/* mi */
		v,		/* vs */
		c && !z,	/* hi */
		n == v,		/* ge */
		n == v && !z,	/* gt */
		true,		/* al */
	};

	return cond == 15 || is[cond >> 1] != (cond & 1);
}

KP_TRAP_PATH static bool is_taken(const struct kp_a64_insn *insn, const struct kp_a64_regs *regs)
{
	uint64_t value;

	if (insn->class == KP_A64_BCOND)
		return holds(insn->cond, regs->pstate);
	value = kp_a64_reg(regs, insn->rt);
	if (insn->class == KP_A64_TBZ)
		value = value >> insn->bit & 1;
	else if (!(insn->flags & KP_A64_WIDE))
		value = (uint32_t)value;
	return (value != 0) == !!(insn->flags & KP_A64_NOT);
}

KP_TRAP_PATH static int load_literal(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_regs *regs,
			kp_a64_read *read)
{
	uint64_t value = 0;
	uint32_t narrow;
	int err;

	if (insn->flags & KP_A64_PREFETCH)
		return 0;	/* a hint: it never faults, and nothing depends on it */
	if (insn->size == 8) {
		err = read(kp_a64_operand(insn, addr), &value, sizeof(value));
	} else {
		err = read(kp_a64_operand(insn, addr), &narrow, sizeof(narrow));
		if (!err)
			value = insn->flags & KP_A64_SIGNED ?
				(uint64_t)(int64_t)(int32_t)narrow : narrow;
	}
	if (!err)
		kp_a64_set_reg(regs, insn->rt, value);
	return err;
}

/* The BTYPE that an indirect jump by @reg leaves. */
KP_TRAP_PATH static enum kp_a64_btype jump_type(unsigned int reg, bool guarded)
{
	return reg == 16 || reg == 17 || !guarded ? KP_A64_BTYPE_JUMP_16 : KP_A64_BTYPE_JUMP;
}

KP_TRAP_PATH static void go_on(struct kp_a64_regs *regs, uint64_t pc,
			       enum kp_a64_btype btype)
{
	regs->pc = pc;
	regs->pstate = (regs->pstate & ~KP_A64_PSTATE_BTYPE) | (uint64_t)btype << 10;
}

KP_TRAP_PATH void kp_a64_branch(const struct kp_a64_insn *insn, uint64_t addr,
				struct kp_a64_regs *regs, uint64_t target, bool guarded)
{
	enum kp_a64_btype btype = KP_A64_BTYPE_NONE;

	if (insn->class == KP_A64_BLR) {
		regs->regs[KP_A64_LR] = addr + KP_A64_LEN;
		btype = KP_A64_BTYPE_CALL;
	} else if (insn->class == KP_A64_BR) {
		btype = jump_type(insn->rn, guarded);
	}
	go_on(regs, target, btype);
}

KP_TRAP_PATH int kp_a64_emulate(const struct kp_a64_insn *insn, uint64_t addr,
				struct kp_a64_regs *regs, bool guarded, kp_a64_read *read)
{
	uint64_t next = addr + KP_A64_LEN, operand = kp_a64_operand(insn, addr);
	int err;

	/* Only the processor knows its keys. */
	if (insn->flags & KP_A64_PAC)
		return -EOPNOTSUPP;
	switch (insn->class) {
	case KP_A64_BL:
		regs->regs[KP_A64_LR] = next;
		next = operand;
		break;
	case KP_A64_B:
		next = operand;
		break;
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
		if (is_taken(insn, regs))
			next = operand;
		break;
	case KP_A64_BLR:
	case KP_A64_BR:
	case KP_A64_RET:
		kp_a64_branch(insn, addr, regs, kp_a64_reg(regs, insn->rn), guarded);
		return 0;
	case KP_A64_ADR:
	case KP_A64_ADRP:
		kp_a64_set_reg(regs, insn->rt, operand);
		break;
	case KP_A64_LITERAL:
		/* Vectors are not among the registers here. */
		if (insn->flags & KP_A64_VECTOR)
			return -EOPNOTSUPP;
		err = load_literal(insn, addr, regs, read);
		if (err)
			return err;
		break;
	default:
		return -EOPNOTSUPP;
	}
	go_on(regs, next, KP_A64_BTYPE_NONE);
	return 0;
}

/* ldr t, [n], of the same width: V:opc select it as in the literal form. */
static uint32_t load_word(const struct kp_a64_insn *insn, unsigned int base)
{
	static const uint32_t general[4] = {
		0xB9400000,	/* ldr w, [x] */
		0xF9400000,	/* ldr x, [x] */
		0xB9800000,	/* ldrsw x, [x] */
		0xF9800000,	/* prfm, [x] */
	};
	static const uint32_t vector[3] = {
		0xBD400000,	/* ldr s, [x] */
		0xFD400000,	/* ldr d, [x] */
		0x3DC00000,	/* ldr q, [x] */
	};
	uint32_t opc = insn->word >> 30;

	return (insn->flags & KP_A64_VECTOR ? vector[opc] : general[opc]) | base << 5 | insn->rt;
}

static void move_literal(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_moved *moved)
{
	bool own = !(insn->flags & (KP_A64_VECTOR | KP_A64_PREFETCH)) &&
		   insn->rt != KP_A64_SP_OR_ZR;

	/* What is loaded replaces the address; else any register serves, for a while. */
	moved->reg = own ? insn->rt : 16;
	moved->restore = !own;
	moved->value = kp_a64_operand(insn, addr);
	moved->word = load_word(insn, moved->reg);
}

static int move_call(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_moved *moved,
		     const char **reason)
{
	/* LR gets the return address first: who calls by LR would go there. */
	if (insn->rn == KP_A64_LR || insn->rm == KP_A64_LR) {
		*reason = "it calls by the link register, which has the return address then";
		return -EOPNOTSUPP;
	}
	moved->reg = KP_A64_LR;
	moved->value = addr + KP_A64_LEN;
	moved->word = insn->word & ~0x00200000u;	/* blr -> br, signed or not */
	return 0;
}

int kp_a64_move(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_moved *moved,
		const char **reason)
{
	*moved = (struct kp_a64_moved) { .word = insn->word, .reg = KP_A64_NO_REG };
	switch (insn->class) {
	case KP_A64_UNALLOCATED:
		*reason = "it is not an instruction that is known";
		return -EOPNOTSUPP;
	case KP_A64_LITERAL:
		move_literal(insn, addr, moved);
		return 0;
	case KP_A64_BLR:
		return move_call(insn, addr, moved, reason);
	default:
		if (!kp_a64_is_relative(insn))
			return 0;
		*reason = "it is emulated";
		return -EOPNOTSUPP;
	}
}

bool kp_a64_may_land(const struct kp_a64_insn *insn, enum kp_a64_btype btype)
{
	unsigned int targets;

	if (btype == KP_A64_BTYPE_NONE)
		return true;
	/* Debuggers may stand on a landing pad. */
	if (insn->class == KP_A64_EXCEPTION)
		return (insn->word & 0xFFE0001F) == 0xD4200000 ||	/* brk */
		       (insn->word & 0xFFE0001F) == 0xD4400000;		/* hlt */
	if (!(insn->flags & KP_A64_PAD))
		return false;
	if (insn->number >> 3 == 3)	/* paciasp, pacibsp */
		return btype != KP_A64_BTYPE_JUMP;
	targets = insn->number >> 1 & 3;	/* bti; 1: c, 2: j, 3: jc */
	switch (btype) {
	case KP_A64_BTYPE_CALL:
		return targets & 1;
	case KP_A64_BTYPE_JUMP:
		return targets & 2;
	default:
		return targets;		/* a jump by x16 or x17 may be a call of a veneer */
	}
}
