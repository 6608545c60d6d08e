/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * emulate.c - Arm instructions that read or write the PC, away from their place.
 *
 * Owns: kp_arm_emulate.  Invariants: everything is computed from the address that is given,
 * never from regs->pc; registers change when all memory has been read, so that a fault
 * leaves them alone, though not what a store of two words has written.
 */
#include "emulate.h"
#include "arch.h"

#define bits kp_arm_bits
#define N_BIT 0x80000000u
#define Z_BIT 0x40000000u
#define C_BIT 0x20000000u
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

/* @value, shifted by an immediate; *carry becomes what falls out. */
KP_TRAP_PATH static uint32_t shifted(uint32_t value, unsigned int type, unsigned int nr, bool *carry)
{
	bool in = *carry;

	switch (type) {
	case 0:		/* lsl */
		if (nr)
			*carry = value >> (32 - nr) & 1;
		return value << nr;
	case 1:		/* lsr; 0 is 32 */
		*carry = value >> (nr ? nr - 1 : 31) & 1;
		return nr ? value >> nr : 0;
	case 2:		/* asr; 0 is 32 */
		*carry = value >> (nr ? nr - 1 : 31) & 1;
		return (uint32_t)((int32_t)value >> (nr ? nr : 31));
	default:	/* ror; 0 is rrx */
		*carry = value >> (nr ? nr - 1 : 0) & 1;
		return nr ? value >> nr | value << (32 - nr) : value >> 1 | (uint32_t)in << 31;
	}
}

KP_TRAP_PATH static uint32_t second_operand(const struct run *run, bool *carry)
{
	uint32_t word = run->word, value = bits(word, 0, 8);
	unsigned int nr = 2 * bits(word, 8, 4);

	if (!bits(word, 25, 1))
		return shifted(get(run, bits(word, 0, 4)), bits(word, 5, 2), bits(word, 7, 5), carry);
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

struct access {
	uint32_t addr, written_back;
	unsigned int len;		/* 8: two registers */
	unsigned int d, d2, n;
	bool is_signed, writes_back;
};

/* Bits 23, 24 and 21: add, before, write back. */
KP_TRAP_PATH static void index_by(const struct run *run, struct access *access, uint32_t offset,
				  bool up, bool before, bool back)
{
	uint32_t base = get(run, access->n), end = up ? base + offset : base - offset;

	access->addr = before ? end : base;
	access->written_back = end;
	access->writes_back = back || !before;
}

KP_TRAP_PATH static void a32_access(const struct run *run, struct access *access)
{
	uint32_t word = run->word, offset;
	bool carry = run->regs.cpsr & C_BIT;

	access->d = bits(word, 12, 4);
	access->d2 = access->d + 1;
	access->n = bits(word, 16, 4);
	if (bits(word, 26, 1)) {
		access->len = bits(word, 22, 1) ? 1 : 4;
		offset = !bits(word, 25, 1) ? bits(word, 0, 12) :
			 shifted(get(run, bits(word, 0, 4)), bits(word, 5, 2), bits(word, 7, 5), &carry);
	} else {
		/* 1: halves; with bit 20 signed 2: bytes, 3: halves, without two registers. */
		bool pair = !bits(word, 20, 1) && bits(word, 6, 1);

		access->len = pair ? 8 : bits(word, 5, 2) == 2 ? 1 : 2;
		access->is_signed = bits(word, 6, 1);
		offset = bits(word, 22, 1) ? bits(word, 8, 4) << 4 | bits(word, 0, 4) :
					     get(run, bits(word, 0, 4));
	}
	index_by(run, access, offset, bits(word, 23, 1), bits(word, 24, 1), bits(word, 21, 1));
}

/* ldr of T32, of 32 bits: into the PC, or of a literal. */
KP_TRAP_PATH static void t32_access(const struct run *run, struct access *access)
{
	uint32_t word = run->word;

	access->d = bits(word, 12, 4);
	access->d2 = bits(word, 8, 4);
	access->n = bits(word, 16, 4);
	if (bits(word, 25, 7) == 0x74)
		access->len = 8;
	else
		access->len = 1u << bits(word, 21, 2);
	access->is_signed = bits(word, 24, 1);
	if (access->n == KP_ARM_PC)
		access->addr = kp_arm_operand(run->insn, run->addr);
	else if (bits(word, 23, 1))
		access->addr = get(run, access->n) + bits(word, 0, 12);
	else if (bits(word, 11, 1))
		index_by(run, access, bits(word, 0, 8), bits(word, 9, 1), bits(word, 10, 1), bits(word, 8, 1));
	else
		access->addr = get(run, access->n) + (get(run, bits(word, 0, 4)) << bits(word, 4, 2));
}

KP_TRAP_PATH static void find_access(const struct run *run, struct access *access)
{
	*access = (struct access) { .len = 4 };
	if (run->insn->class == KP_ARM_LITERAL) {
		access->d = bits(run->word, 8, 3);
		access->addr = kp_arm_operand(run->insn, run->addr);
	} else if (run->insn->thumb) {
		t32_access(run, access);
	} else {
		a32_access(run, access);
	}
}

KP_TRAP_PATH static uint32_t extended(uint32_t value, const struct access *access)
{
	if (!access->is_signed || access->len > 2)
		return value;
	return access->len == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

KP_TRAP_PATH static int do_load(struct run *run)
{
	struct access access;
	uint32_t value[2] = { 0, 0 };

	find_access(run, &access);
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
	struct access access;
	uint32_t value[2];

	find_access(run, &access);
	value[0] = get(run, access.d);
	value[1] = access.len == 8 ? get(run, access.d2) : 0;
	return run->mem->write(access.addr, value, access.len) ? -EFAULT : 0;
}

/* How many registers: a kernel has no function for it. */
KP_TRAP_PATH static unsigned int count(uint32_t list)
{
	unsigned int nr = 0;

	for (; list; list &= list - 1)
		nr++;
	return nr;
}

/* Of the PC and others; of 16 bits: pop. */
KP_TRAP_PATH static int do_load_list(struct run *run)
{
	bool narrow = run->insn->len == 2, up = narrow || bits(run->word, 23, 1);
	uint32_t list = narrow ? bits(run->word, 0, 8) | 1u << KP_ARM_PC : bits(run->word, 0, 16);
	unsigned int n = narrow ? KP_ARM_SP : bits(run->word, 16, 4), i;
	uint32_t len = 4 * count(list), base = run->regs.r[n];
	uint32_t at = up ? base : base - len, value;

	/* The lowest is there, or one word on. */
	if (!narrow && bits(run->word, 24, 1) == up)
		at += 4;
	if (narrow || bits(run->word, 21, 1))
		run->regs.r[n] = up ? base + len : base - len;
	for (i = 0; i < 16; i++) {
		if (!(list >> i & 1))
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

KP_TRAP_PATH int kp_arm_emulate(const struct kp_arm_insn *insn, uint32_t addr,
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
	if (holds(regs->cpsr, it & 0xF ? it >> 4 : insn->cond))
		err = execute(&run);
	if (err)
		return err;
	if (it & 0xF)
		leave_it(&run.regs);
	*regs = run.regs;
	return 0;
}
