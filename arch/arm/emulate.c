/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emulate.c - Arm instructions that read or write the PC, away from their place.
 *
 * Owns: kp_arm_emulate.  Invariants: everything is computed from the address that is given,
 * never from regs->pc; registers change when all memory has been read, so that a fault
 * leaves them alone, though not what a store of two words has written.
 */
#include "access.h"
#include "arch.h"

#define bits kp_arm_bits
#define N_BIT 0x80000000u
#define Z_BIT 0x40000000u
#define C_BIT KP_ARM_CPSR_C
#define V_BIT 0x10000000u

/* One instruction under way: what it finds, and what becomes of it. */
struct run {
	const struct kp_arm_insn *insn;
	uint32_t word, addr, pc;		/* pc: as it reads it */
	struct kp_arm_regs regs;
	const struct kp_arch_mem *mem;
};

/* ---- conditions --------------------------------------------------------------------------- */

KP_TRAP_PATH static bool holds(uint32_t cpsr, unsigned int cond)
{
	bool n = cpsr & N_BIT, z = cpsr & Z_BIT, c = cpsr & C_BIT, v = cpsr & V_BIT, is;

	switch (cond >> 1) {
	case 0:
		is = z;
		break;
	case 1:
		is = c;
		break;
	case 2:
		is = n;
		break;
	case 3:
		is = v;
		break;
	case 4:
		is = c && !z;
		break;
	case 5:
		is = n == v;
		break;
	case 6:
		is = n == v && !z;
		break;
	default:
		return true;
	}
	return is != (cond & 1);
}

KP_TRAP_PATH uint32_t kp_arm_it_get(uint32_t cpsr)
{
	return bits(cpsr, 10, 6) << 2 | bits(cpsr, 25, 2);
}

KP_TRAP_PATH static uint32_t with_it(uint32_t cpsr, uint32_t it)
{
	return (cpsr & ~KP_ARM_CPSR_IT) | bits(it, 2, 6) << 10 | bits(it, 0, 2) << 25;
}

/* Behind an instruction of the block. */
KP_TRAP_PATH static void leave_it(struct kp_arm_regs *regs)
{
	uint32_t it = kp_arm_it_get(regs->cpsr);

	it = bits(it, 0, 3) ? (it & 0xE0) | bits(it << 1, 0, 5) : 0;
	regs->cpsr = with_it(regs->cpsr, it);
}

KP_TRAP_PATH bool kp_arm_goes(const struct kp_arm_insn *insn, uint32_t cpsr)
{
	uint32_t it = insn->thumb ? kp_arm_it_get(cpsr) : 0;

	return holds(cpsr, it & 0xF ? it >> 4 : insn->cond);
}

KP_TRAP_PATH void kp_arm_go_on(const struct kp_arm_insn *insn, struct kp_arm_regs *regs)
{
	regs->pc += insn->len;
	if (insn->thumb && kp_arm_it_get(regs->cpsr) & 0xF)
		leave_it(regs);
}

/* ---- registers ---------------------------------------------------------------------------- */

KP_TRAP_PATH static uint32_t get(const struct run *run, unsigned int nr)
{
	return nr == KP_ARM_PC ? run->pc : run->regs.r[nr];
}

/* On in the same instruction set. */
KP_TRAP_PATH static void go(struct run *run, uint32_t to)
{
	run->regs.pc = to & (run->insn->thumb ? ~1u : ~3u);
}

/* On where bit 0 says which set it is. */
KP_TRAP_PATH static void go_either(struct run *run, uint32_t to)
{
	run->regs.cpsr = to & 1 ? run->regs.cpsr | KP_ARM_CPSR_T : run->regs.cpsr & ~KP_ARM_CPSR_T;
	run->regs.pc = to & ~1u;
}

KP_TRAP_PATH static uint32_t next(const struct run *run)
{
	return run->addr + run->insn->len;
}

KP_TRAP_PATH static void link(struct run *run)
{
	run->regs.r[KP_ARM_LR] = next(run) | (run->insn->thumb ? 1 : 0);
}

/* ---- data processing ------------------------------------------------------------------------ */

KP_TRAP_PATH static uint32_t second_operand(const struct run *run, bool *carry)
{
	uint32_t word = run->word, value = bits(word, 0, 8);
	unsigned int nr = 2 * bits(word, 8, 4);

	if (!bits(word, 25, 1))
		return kp_arm_shifted(get(run, bits(word, 0, 4)), bits(word, 5, 2), bits(word, 7, 5), carry);
	if (!nr)
		return value;
	value = value >> nr | value << (32 - nr);
	*carry = value >> 31;
	return value;
}

/* a + b + in, with the flags of that. */
KP_TRAP_PATH static uint32_t sum(uint32_t a, uint32_t b, bool in, bool *carry, bool *overflow)
{
	uint64_t wide = (uint64_t)a + b + in;
	uint32_t value = (uint32_t)wide;

	*carry = wide >> 32;
	*overflow = (~(a ^ b) & (a ^ value)) >> 31;
	return value;
}

/* By the opcodes' numbers: and eor sub rsb add adc sbc rsc tst teq cmp cmn orr mov bic mvn. */
KP_TRAP_PATH static uint32_t compute(unsigned int op, uint32_t a, uint32_t b, bool in, bool *carry,
				     bool *overflow)
{
	switch (op) {
	case 0:
	case 8:
		return a & b;
	case 1:
	case 9:
		return a ^ b;
	case 2:
	case 10:
		return sum(a, ~b, true, carry, overflow);
	case 3:
		return sum(~a, b, true, carry, overflow);
	case 4:
	case 11:
		return sum(a, b, false, carry, overflow);
	case 5:
		return sum(a, b, in, carry, overflow);
	case 6:
		return sum(a, ~b, in, carry, overflow);
	case 7:
		return sum(~a, b, in, carry, overflow);
	case 12:
		return a | b;
	case 13:
		return b;
	case 14:
		return a & ~b;
	default:
		return ~b;
	}
}

KP_TRAP_PATH static void do_data(struct run *run)
{
	uint32_t *cpsr = &run->regs.cpsr, word = run->word, value;
	unsigned int op = bits(word, 21, 4), d = bits(word, 12, 4);
	bool in = *cpsr & C_BIT, carry = in, overflow = *cpsr & V_BIT;
	uint32_t b = second_operand(run, &carry);

	value = compute(op, get(run, bits(word, 16, 4)), b, in, &carry, &overflow);
	if (bits(word, 20, 1))
		*cpsr = (*cpsr & ~(N_BIT | Z_BIT | C_BIT | V_BIT)) | (value & N_BIT) |
			(value ? 0 : Z_BIT) | (carry ? C_BIT : 0) | (overflow ? V_BIT : 0);
	if (op >= 8 && op < 12)
		return;
	if (d == KP_ARM_PC)
		go_either(run, value);
	else
		run->regs.r[d] = value;
}

/* add, mov: one of the registers is the PC. */
KP_TRAP_PATH static void do_high(struct run *run)
{
	unsigned int d = bits(run->word, 7, 1) << 3 | bits(run->word, 0, 3);
	uint32_t value = get(run, bits(run->word, 3, 4));

	if (!bits(run->word, 8, 2))
		value += get(run, d);
	if (d == KP_ARM_PC)
		go(run, value);
	else
		run->regs.r[d] = value;
}

/* ---- one register, or two, and memory -------------------------------------------------------- */

KP_TRAP_PATH static uint32_t extended(uint32_t value, const struct kp_arm_access *access)
{
	if (!access->is_signed || access->len > 2)
		return value;
	return access->len == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

KP_TRAP_PATH static int do_load(struct run *run)
{
	struct kp_arm_access access;
	uint32_t value[2] = { 0, 0 };

	kp_arm_access_one(&access, run->insn, run->addr, &run->regs);
	if (run->mem->read(access.addr, value, access.len))
		return -EFAULT;
	if (access.writes_back)
		run->regs.r[access.n] = access.written_back;
	if (access.d == KP_ARM_PC)
		go_either(run, value[0]);
	else
		run->regs.r[access.d] = extended(value[0], &access);
	if (access.len == 8)
		run->regs.r[access.d2] = value[1];
	return 0;
}

/* Beside the PC, which is no base that is written back: A32. */
KP_TRAP_PATH static int do_store(struct run *run)
{
	struct kp_arm_access access;
	uint32_t value[2];

	kp_arm_access_one(&access, run->insn, run->addr, &run->regs);
	value[0] = get(run, access.d);
	value[1] = access.len == 8 ? get(run, access.d2) : 0;
	return run->mem->write(access.addr, value, access.len) ? -EFAULT : 0;
}

/* Of the PC and others; of 16 bits: pop. */
KP_TRAP_PATH static int do_load_list(struct run *run)
{
	struct kp_arm_access access;
	uint32_t at, value;
	unsigned int i;

	kp_arm_access_list(&access, run->insn, &run->regs);
	at = access.addr;
	if (access.writes_back)
		run->regs.r[access.n] = access.written_back;
	for (i = 0; i < 16; i++) {
		if (!(access.list >> i & 1))
			continue;
		if (run->mem->read(at, &value, sizeof(value)))
			return -EFAULT;
		at += 4;
		if (i == KP_ARM_PC)
			go_either(run, value);
		else
			run->regs.r[i] = value;
	}
	return 0;
}

/* ---- branches -------------------------------------------------------------------------------- */

KP_TRAP_PATH static int do_table(struct run *run)
{
	unsigned int wide = bits(run->word, 4, 1);
	uint32_t at = get(run, bits(run->word, 16, 4)) + (get(run, bits(run->word, 0, 4)) << wide);
	uint16_t entry = 0;

	if (run->mem->read(at, &entry, wide ? 2 : 1))
		return -EFAULT;
	go(run, run->pc + 2u * entry);
	return 0;
}

/* The register of bx and blx. */
KP_TRAP_PATH static uint32_t target(const struct run *run)
{
	return get(run, run->insn->thumb ? bits(run->word, 3, 4) : bits(run->word, 0, 4));
}

KP_TRAP_PATH static int do_branch(struct run *run)
{
	uint32_t to = kp_arm_operand(run->insn, run->addr);
	bool zero;

	switch (run->insn->class) {
	case KP_ARM_B:
		go(run, to);
		return 0;
	case KP_ARM_BL:
		link(run);
		go(run, to);
		return 0;
	case KP_ARM_BLX:
		link(run);
		go_either(run, run->insn->thumb ? to & ~3u : to | 1);
		return 0;
	case KP_ARM_BX:
		go_either(run, target(run));
		return 0;
	case KP_ARM_BLX_REG:
		to = target(run);
		link(run);
		go_either(run, to);
		return 0;
	case KP_ARM_CBZ:
		zero = !run->regs.r[bits(run->word, 0, 3)];
		if (zero != bits(run->word, 11, 1))
			go(run, to);
		return 0;
	default:
		return do_table(run);
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool kp_arm_is_emulated(const struct kp_arm_insn *insn)
{
	switch (insn->class) {
	case KP_ARM_B:
	case KP_ARM_BL:
	case KP_ARM_BLX:
	case KP_ARM_BX:
	case KP_ARM_BLX_REG:
	case KP_ARM_CBZ:
	case KP_ARM_TABLE:
	case KP_ARM_LITERAL:
	case KP_ARM_SHORT_ADR:
	case KP_ARM_ADR:
	case KP_ARM_IT:
		return true;
	case KP_ARM_DATA:
		/* With flags and into the PC: the return of an exception. */
		return insn->pc && !(insn->pc & KP_ARM_D && bits(insn->word, 20, 1));
	case KP_ARM_HIGH:
	case KP_ARM_LOAD:
	case KP_ARM_LOAD_LIST:
	case KP_ARM_PRELOAD:
		return insn->pc;
	case KP_ARM_STORE:
		/* What is stored of the PC, processors do not agree upon. */
		return insn->pc == KP_ARM_N;
	default:
		return false;
	}
}

KP_TRAP_PATH static int execute(struct run *run)
{
	switch (run->insn->class) {
	case KP_ARM_DATA:
		do_data(run);
		return 0;
	case KP_ARM_HIGH:
		do_high(run);
		return 0;
	case KP_ARM_LOAD:
	case KP_ARM_LITERAL:
		return do_load(run);
	case KP_ARM_STORE:
		return do_store(run);
	case KP_ARM_LOAD_LIST:
		return do_load_list(run);
	case KP_ARM_PRELOAD:
		return 0;
	case KP_ARM_SHORT_ADR:
		run->regs.r[bits(run->word, 8, 3)] = kp_arm_operand(run->insn, run->addr);
		return 0;
	case KP_ARM_ADR:
		run->regs.r[bits(run->word, 8, 4)] = kp_arm_operand(run->insn, run->addr);
		return 0;
	case KP_ARM_IT:
		run->regs.cpsr = with_it(run->regs.cpsr, bits(run->word, 0, 8));
		return 0;
	default:
		return do_branch(run);
	}
}

KP_TRAP_PATH static int others(const struct kp_arm_insn *insn, uint32_t addr,
			       struct kp_arm_regs *regs, const struct kp_arch_mem *mem)
{
	struct run run = {
		.insn = insn, .word = insn->word, .addr = addr, .pc = kp_arm_pc(insn, addr),
		.regs = *regs, .mem = mem,
	};
	uint32_t it = insn->thumb ? kp_arm_it_get(regs->cpsr) : 0;
	int err = 0;

	if (!kp_arm_is_emulated(insn))
		return -EOPNOTSUPP;
	run.regs.pc = next(&run);
	if (kp_arm_goes(insn, regs->cpsr))
		err = execute(&run);
	if (err)
		return err;
	if (it & 0xF)
		leave_it(&run.regs);
	*regs = run.regs;
	return 0;
}

/* A branch or a call of A32, which is most of what is emulated: without a copy of all registers. */
KP_TRAP_PATH static void branch(const struct kp_arm_insn *insn, uint32_t addr,
				struct kp_arm_regs *regs)
{
	regs->pc = addr + 4;
	if (insn->cond != KP_ARM_ALWAYS && !holds(regs->cpsr, insn->cond))
		return;
	if (insn->class == KP_ARM_BL)
		regs->r[KP_ARM_LR] = addr + 4;
	regs->pc = kp_arm_operand(insn, addr) & ~3u;
}

KP_TRAP_PATH int kp_arm_emulate(const struct kp_arm_insn *insn, uint32_t addr,
				struct kp_arm_regs *regs, const struct kp_arch_mem *mem)
{
	if (!insn->thumb && (insn->class == KP_ARM_B || insn->class == KP_ARM_BL)) {
		branch(insn, addr, regs);
		return 0;
	}
	return others(insn, addr, regs, mem);
}
