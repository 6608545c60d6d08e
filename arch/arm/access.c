/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.c - which memory an instruction loads or stores, and what becomes of its base.
 *
 * Owns: what access.h says.  Invariant: everything is computed from the registers and the
 * address that are given; nothing is read.  Which instructions there are, the maps say.
 */
#include "access.h"
#include "arch.h"

#define bits kp_arm_bits

KP_TRAP_PATH uint32_t kp_arm_shifted(uint32_t value, unsigned int type, unsigned int nr, bool *carry)
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

/* What an instruction finds. */
struct from {
	const struct kp_arm_insn *insn;
	uint32_t word, addr;
	const struct kp_arm_regs *regs;
};

KP_TRAP_PATH static uint32_t get(const struct from *from, unsigned int nr)
{
	return nr == KP_ARM_PC ? kp_arm_pc(from->insn, from->addr) : from->regs->r[nr];
}

/* Bits 23, 24 and 21 of most: add, before, write back. */
KP_TRAP_PATH static void index_by(const struct from *from, struct kp_arm_access *access, uint32_t offset,
				  bool up, bool before, bool back)
{
	uint32_t base = get(from, access->n), end = up ? base + offset : base - offset;

	access->addr = before ? end : base;
	access->written_back = end;
	access->writes_back = back || !before;
}

/* ---- one register, or two ----------------------------------------------------------------- */

/* stl, swp: by a register alone. */
KP_TRAP_PATH static bool is_plain_a32(uint32_t word)
{
	return (word & 0x0fb000f0) == 0x01000090 || (word & 0x0f9003f0) == 0x01800090;
}

KP_TRAP_PATH static void plain_a32(const struct from *from, struct kp_arm_access *access)
{
	uint32_t word = from->word;

	access->d = bits(word, 0, 4);
	access->d2 = bits(word, 12, 4);
	if (!bits(word, 23, 1))
		access->len = bits(word, 22, 1) ? 1 : 4;
	else
		access->len = !bits(word, 22, 1) ? 4 : bits(word, 21, 1) ? 2 : 1;
	access->addr = get(from, access->n);
}

KP_TRAP_PATH static void of_a32(const struct from *from, struct kp_arm_access *access)
{
	uint32_t word = from->word, offset;
	bool carry = from->regs->cpsr & KP_ARM_CPSR_C;

	access->n = bits(word, 16, 4);
	if (is_plain_a32(word)) {
		plain_a32(from, access);
		return;
	}
	access->d = bits(word, 12, 4);
	access->d2 = access->d + 1;
	if (bits(word, 26, 1)) {
		access->len = bits(word, 22, 1) ? 1 : 4;
		offset = !bits(word, 25, 1) ? bits(word, 0, 12) :
			 kp_arm_shifted(get(from, bits(word, 0, 4)), bits(word, 5, 2), bits(word, 7, 5), &carry);
	} else {
		/* 1: halves; with bit 20 signed 2: bytes, 3: halves, without two registers. */
		bool pair = !bits(word, 20, 1) && bits(word, 6, 1);

		access->len = pair ? 8 : bits(word, 5, 2) == 2 ? 1 : 2;
		access->is_signed = bits(word, 6, 1);
		offset = bits(word, 22, 1) ? bits(word, 8, 4) << 4 | bits(word, 0, 4) :
					     get(from, bits(word, 0, 4));
	}
	index_by(from, access, offset, bits(word, 23, 1), bits(word, 24, 1), bits(word, 21, 1));
}

KP_TRAP_PATH static void of_wide(const struct from *from, struct kp_arm_access *access)
{
	uint32_t word = from->word;

	access->d = bits(word, 12, 4);
	access->d2 = bits(word, 8, 4);
	access->n = bits(word, 16, 4);
	access->is_signed = bits(word, 24, 1);
	if ((word & 0xfff000c0) == 0xe8c00080) {		/* stl */
		access->len = 1u << bits(word, 4, 2);
		access->addr = get(from, access->n);
		return;
	}
	access->len = bits(word, 25, 7) == 0x74 ? 8 : 1u << bits(word, 21, 2);
	if (access->n == KP_ARM_PC)
		access->addr = kp_arm_operand(from->insn, from->addr);
	else if (access->len == 8)
		index_by(from, access, bits(word, 0, 8) << 2, bits(word, 23, 1), bits(word, 24, 1),
			 bits(word, 21, 1));
	else if (bits(word, 23, 1))
		access->addr = get(from, access->n) + bits(word, 0, 12);
	else if (bits(word, 11, 1))
		index_by(from, access, bits(word, 0, 8), bits(word, 9, 1), bits(word, 10, 1), bits(word, 8, 1));
	else
		access->addr = get(from, access->n) + (get(from, bits(word, 0, 4)) << bits(word, 4, 2));
}

KP_TRAP_PATH static void of_narrow(const struct from *from, struct kp_arm_access *access)
{
	/* str strh strb ldrsb ldr ldrh ldrb ldrsh, by a register */
	static const uint8_t lengths[] = { 4, 2, 1, 1, 4, 2, 1, 2 };
	uint32_t word = from->word;

	access->d = bits(word, 0, 3);
	access->n = bits(word, 3, 3);
	switch (word >> 12) {
	case 4:		/* ldr, of a literal */
		access->d = bits(word, 8, 3);
		access->addr = kp_arm_operand(from->insn, from->addr);
		return;
	case 5:
		access->len = lengths[bits(word, 9, 3)];
		access->addr = get(from, access->n) + get(from, bits(word, 6, 3));
		return;
	case 9:
		access->d = bits(word, 8, 3);
		access->n = KP_ARM_SP;
		access->addr = get(from, KP_ARM_SP) + 4 * bits(word, 0, 8);
		return;
	default:	/* 6: words, 7: bytes, 8: halves */
		access->len = word >> 12 == 6 ? 4 : word >> 12 == 7 ? 1 : 2;
		access->addr = get(from, access->n) + access->len * bits(word, 6, 5);
	}
}

KP_TRAP_PATH void kp_arm_access_one(struct kp_arm_access *out, const struct kp_arm_insn *insn, uint32_t addr,
				    const struct kp_arm_regs *regs)
{
	const struct from from = { insn, insn->word, addr, regs };

	*out = (struct kp_arm_access) { .len = 4 };
	if (!insn->thumb)
		of_a32(&from, out);
	else if (insn->len == 4)
		of_wide(&from, out);
	else
		of_narrow(&from, out);
}

/* ---- lists -------------------------------------------------------------------------------- */

/* How many registers: a kernel has no function for it. */
KP_TRAP_PATH static unsigned int count(uint32_t list)
{
	unsigned int nr = 0;

	for (; list; list &= list - 1)
		nr++;
	return nr;
}

/* Of 16 bits: stm, ldm, and with their own registers beside these push and pop. */
KP_TRAP_PATH void kp_arm_access_list(struct kp_arm_access *out, const struct kp_arm_insn *insn,
				     const struct kp_arm_regs *regs)
{
	uint32_t word = insn->word, base;
	bool narrow = insn->len == 2, stack = narrow && word >> 12 == 11, push = stack && !bits(word, 11, 1);
	bool up = narrow ? !push : bits(word, 23, 1);

	*out = (struct kp_arm_access) { .writes_back = narrow || bits(word, 21, 1) };
	out->list = bits(word, 0, narrow ? 8 : 16);
	if (stack && bits(word, 8, 1))
		out->list |= 1u << (push ? KP_ARM_LR : KP_ARM_PC);
	out->n = stack ? KP_ARM_SP : narrow ? bits(word, 8, 3) : bits(word, 16, 4);
	out->len = 4 * count(out->list);
	base = regs->r[out->n];
	out->addr = up ? base : base - out->len;
	out->written_back = up ? base + out->len : out->addr;
	/* The lowest is there, or one word on. */
	if (!narrow && bits(word, 24, 1) == up)
		out->addr += 4;
}

/* ---- floating point and vectors ------------------------------------------------------------- */

/* vldr vstr, vldm vstm: of halves, single words, or whole registers. */
KP_TRAP_PATH void kp_arm_access_floats(struct kp_arm_access *out, const struct kp_arm_insn *insn,
				       const struct kp_arm_regs *regs)
{
	uint32_t word = insn->word, size = bits(word, 8, 2), moved = bits(word, 0, 8) << 2;
	bool up = bits(word, 23, 1), one = bits(word, 24, 1) && !bits(word, 21, 1);
	uint32_t base;

	*out = (struct kp_arm_access) { .n = bits(word, 16, 4), .writes_back = bits(word, 21, 1) };
	base = regs->r[out->n];
	out->image = size == 3 ? KP_ARM_FLOAT_LEN * (bits(word, 22, 1) << 4 | bits(word, 12, 4)) :
				 4 * (bits(word, 12, 4) << 1 | bits(word, 22, 1));
	if (one && size == 1)
		moved >>= 1;
	/* Of an odd number of words, which is for the oldest, the last one is none. */
	out->len = one ? 1u << size : size == 3 ? moved & ~7u : moved;
	out->written_back = up ? base + moved : base - moved;
	out->addr = one || !up ? out->written_back : base;
}

/* By vst1's ... opcodes: how many of them, how many registers each has, and how far apart. */
KP_TRAP_PATH static void multiple(struct kp_arm_structure *out, uint32_t word)
{
	static const struct {
		uint8_t times, nr, apart;
	} by_type[16] = {
		[0] = { 1, 4, 1 }, [1] = { 1, 4, 2 }, [2] = { 4, 1, 1 }, [3] = { 2, 2, 2 },
		[4] = { 1, 3, 1 }, [5] = { 1, 3, 2 }, [6] = { 3, 1, 1 }, [7] = { 1, 1, 1 },
		[8] = { 1, 2, 1 }, [9] = { 1, 2, 2 }, [10] = { 2, 1, 1 },
	};
	unsigned int type = bits(word, 8, 4), size = bits(word, 6, 2);

	out->times = by_type[type].times;
	out->nr = by_type[type].nr;
	out->apart = by_type[type].apart;
	out->size = (uint8_t)(1u << size);
	if (size == 3 && out->nr > 1)
		out->times = 0;
}

KP_TRAP_PATH static void lanes(struct kp_arm_structure *out, uint32_t word)
{
	unsigned int size = bits(word, 10, 2);

	out->times = size == 3 ? 0 : 1;
	out->nr = (uint8_t)(bits(word, 8, 2) + 1);
	out->size = (uint8_t)(1u << size);
	out->lane = true;
	out->index = (uint8_t)(bits(word, 4, 4) >> (size + 1));
	out->apart = size && bits(word, 4 + size, 1) ? 2 : 1;
	/* Of one register that bit says how it is aligned. */
	if (out->nr == 1)
		out->apart = 1;
}

KP_TRAP_PATH void kp_arm_structure(struct kp_arm_structure *out, uint32_t word)
{
	unsigned int d = bits(word, 22, 1) << 4 | bits(word, 12, 4);

	*out = (struct kp_arm_structure) { .times = 0 };
	if (bits(word, 23, 1))
		lanes(out, word);
	else
		multiple(out, word);
	/* Which registers come behind the last one, no manual says. */
	if (d + out->apart * (out->nr - 1u) + (out->times ? out->times - 1u : 0) > 31)
		out->times = 0;
}

KP_TRAP_PATH void kp_arm_access_structures(struct kp_arm_access *out, const struct kp_arm_insn *insn,
					   const struct kp_arm_regs *regs)
{
	uint32_t word = insn->word;
	unsigned int m = bits(word, 0, 4);
	struct kp_arm_structure structure;

	kp_arm_structure(&structure, word);
	*out = (struct kp_arm_access) {
		.n = bits(word, 16, 4), .d = bits(word, 22, 1) << 4 | bits(word, 12, 4),
		.writes_back = m != KP_ARM_PC,
	};
	out->len = structure.times * structure.nr * (structure.lane ? structure.size : KP_ARM_FLOAT_LEN);
	out->addr = regs->r[out->n];
	out->written_back = out->addr + (m == KP_ARM_SP ? out->len : m == KP_ARM_PC ? 0 : regs->r[m]);
}
