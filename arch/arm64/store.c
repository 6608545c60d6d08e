/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.c - instructions that write memory, done by the engine.
 *
 * Owns: kp_arch_store.  Invariant: regs change only after the host has written.
 * Declined is what is not listed here: a store-exclusive, which alone does not say what
 * was loaded (monitor.h), scalable vectors, tags; and what must be one access but lies off
 * its boundary.  dc zva, by which C libraries clear memory, is done line by line.
 */
#include "operands.h"
#include "regs.h"
#include "written.h"

#define LOADED 16			/* the most that an atomic instruction loads */

enum op {
	/* As in the instruction. */
	ADD, CLEAR, EOR, SET, SIGNED_MAX, SIGNED_MIN, MAX, MIN, SWAP,
	BYTES,				/* of .bytes */
	COMPARE,			/* .bytes, if memory is .expected */
};

struct store {
	struct kp_a64_regs *regs;
	const struct kp_arch_vectors *vectors;
	uint32_t word;
	enum op op;
	unsigned int len;
	bool whole;			/* it must be one access */
	uint8_t bytes[KP_WATCH_STORE_MAX];
	uint8_t expected[LOADED], old[LOADED];
};

/* ---- what is made of the old bytes ----------------------------------------------- */

KP_TRAP_PATH static uint64_t number(const uint8_t *bytes, unsigned int len)
{
	uint64_t value = 0;

	memcpy(&value, bytes, len);
	return value;
}

KP_TRAP_PATH static int64_t extended(uint64_t value, unsigned int len)
{
	unsigned int shift = 64 - 8 * len;

	return (int64_t)(value << shift) >> shift;
}

KP_TRAP_PATH static uint64_t compute(const struct store *s, uint64_t old)
{
	uint64_t value = number(s->bytes, s->len);
	bool less = extended(old, s->len) < extended(value, s->len);

	switch (s->op) {
	case ADD:
		return old + value;
	case CLEAR:
		return old & ~value;
	case EOR:
		return old ^ value;
	case SET:
		return old | value;
	case SIGNED_MAX:
		return less ? value : old;
	case SIGNED_MIN:
		return less ? old : value;
	case MAX:
		return old < value ? value : old;
	case MIN:
		return old < value ? old : value;
	default:
		return value;
	}
}

KP_TRAP_PATH static void change(void *op, const uint8_t *old, uint8_t *new)
{
	struct store *s = op;
	uint64_t value;

	if (s->op == BYTES) {
		memcpy(new, s->bytes, s->len);
		return;
	}
	memcpy(s->old, old, s->len);
	if (s->op == COMPARE) {
		memcpy(new, memcmp(old, s->expected, s->len) ? old : s->bytes, s->len);
		return;
	}
	value = compute(s, number(old, s->len));
	memcpy(new, &value, s->len);
}

/* ---- what the instruction names ---------------------------------------------------- */

/* A pair is two of half that length. */
KP_TRAP_PATH static void take(const struct store *s, uint8_t *to, unsigned int reg,
			      unsigned int len)
{
	uint64_t value = kp_a64_reg(s->regs, reg);

	memcpy(to, &value, len);
}

KP_TRAP_PATH static const uint8_t *vector(const struct store *s, unsigned int reg)
{
	return (const uint8_t *)s->vectors->image + 16 * (reg % 32);
}

KP_TRAP_PATH static bool is_vector(uint32_t word)
{
	return word & 1u << 26;
}

KP_TRAP_PATH static bool one(struct store *s, unsigned int at, unsigned int reg,
			     unsigned int len)
{
	if (!is_vector(s->word))
		take(s, s->bytes + at, reg, len);
	else if (s->vectors)
		memcpy(s->bytes + at, vector(s, reg), len);
	return !is_vector(s->word) || s->vectors;
}

/* Register after register, or an element of each in turn. */
KP_TRAP_PATH static bool registers(struct store *s)
{
	unsigned int nr = kp_a64_structure_registers(s->word), len = s->len / nr, i, at;
	unsigned int size = 1u << (s->word >> 10 & 3), op = s->word >> 12 & 15;

	/* st1 */
	if (op & 2)
		size = len;
	for (at = 0; at < len; at += size)
		for (i = 0; i < nr; i++)
			memcpy(s->bytes + at * nr + i * size,
			       vector(s, KP_A64_RD(s->word) + i) + at, size);
	return true;
}

KP_TRAP_PATH static bool lanes(struct store *s)
{
	unsigned int size = kp_a64_lane_size(s->word), len = 1u << size, i;
	/* Q, S and the bits of size that are not. */
	unsigned int index = (s->word >> 30 & 1) << 3 | (s->word >> 10 & 7);

	index = size == 3 ? index >> 3 : index >> size;
	for (i = 0; i * len < s->len; i++)
		memcpy(s->bytes + i * len, vector(s, KP_A64_RD(s->word) + i) + index * len,
		       len);
	return true;
}

KP_TRAP_PATH static bool structures(struct store *s)
{
	if (!s->vectors)
		return false;
	return s->word & 1u << 24 ? lanes(s) : registers(s);
}

/* stlr; cas, casp. */
KP_TRAP_PATH static bool ordered(struct store *s)
{
	bool pair = !(s->word & 1u << 23);
	unsigned int len = pair ? s->len / 2 : s->len, from = KP_A64_RM(s->word);

	s->whole = true;
	if (!(s->word & 1u << 21))
		return one(s, 0, KP_A64_RD(s->word), s->len);
	s->op = COMPARE;
	take(s, s->bytes, KP_A64_RD(s->word), len);
	take(s, s->expected, from, len);
	if (pair) {
		take(s, s->bytes + len, KP_A64_RD(s->word) + 1, len);
		take(s, s->expected + len, from + 1, len);
	}
	return true;
}

KP_TRAP_PATH static bool is_ordered(uint32_t word)
{
	return (word & 0x3f000000) == 0x08000000;
}

KP_TRAP_PATH static bool is_pair(uint32_t word)
{
	return (word & 0x3a000000) == 0x28000000;
}

KP_TRAP_PATH static bool is_structure(uint32_t word)
{
	return (word & 0xbe000000) == 0x0c000000;
}

KP_TRAP_PATH static bool is_atomic(uint32_t word)
{
	return (word & 0x3b200c00) == 0x38200000;
}

KP_TRAP_PATH static bool understand(struct store *s)
{
	if (is_ordered(s->word))
		return ordered(s);
	if (is_structure(s->word))
		return structures(s);
	/* stgp: and a tag */
	if (is_pair(s->word) && !is_vector(s->word) && s->word >> 30 == 1)
		return false;
	if (is_pair(s->word))
		return one(s, 0, KP_A64_RD(s->word), s->len / 2) &&
		       one(s, s->len / 2, KP_A64_RA(s->word), s->len / 2);
	if (!is_atomic(s->word))
		return one(s, 0, KP_A64_RD(s->word), s->len);
	s->op = (enum op)(s->word >> 12 & 15);
	s->whole = true;
	take(s, s->bytes, KP_A64_RM(s->word), s->len);
	return true;
}

/* ---- what becomes of the registers ----------------------------------------------------- */

/* By how much the base moves; 0: it stays, or as good as that. */
KP_TRAP_PATH static uint64_t moves(const struct store *s)
{
	uint32_t word = s->word;
	int64_t nr = (int64_t)((word >> 15 & 0x7f) ^ 0x40) - 0x40;

	if (is_structure(word)) {
		if (!(word & 1u << 23))
			return 0;
		return KP_A64_RM(word) == KP_A64_SP_OR_ZR ? s->len
							  : s->regs->regs[KP_A64_RM(word)];
	}
	if (is_pair(word)) {
		if (!(word & 1u << 23))
			return 0;
		return (uint64_t)(nr * ((word & 0xfe400000) == 0x68000000 ? 16 : s->len / 2));
	}
	if ((word & 0x3b200400) == 0x38000400)
		return (uint64_t)(int64_t)((word >> 12 & 0x1ff) ^ 0x100) - 0x100;
	return 0;
}

KP_TRAP_PATH static void move_base(const struct store *s)
{
	unsigned int reg = KP_A64_RN(s->word);

	if (reg == KP_A64_SP_OR_ZR)
		s->regs->sp += moves(s);
	else
		s->regs->regs[reg] += moves(s);
}

/* What was there, where the instruction loads that. */
KP_TRAP_PATH static void load(const struct store *s)
{
	unsigned int len = s->len, reg = KP_A64_RM(s->word);

	if (s->op == BYTES)
		return;
	if (s->op != COMPARE) {
		kp_a64_set_reg(s->regs, KP_A64_RD(s->word), number(s->old, len));
		return;
	}
	if (!(s->word & 1u << 23)) {
		len /= 2;
		kp_a64_set_reg(s->regs, reg + 1, number(s->old + len, len));
	}
	kp_a64_set_reg(s->regs, reg, number(s->old, len));
}

/* ---- dc zva --------------------------------------------------------------------------- */

#define DC_ZVA (3 << 11 | 7 << 7 | 4 << 3 | 1)

/* Of a block of so many bytes as the processor says; within a page. */
KP_TRAP_PATH static int clear_block(struct store *s, uint64_t at, uintptr_t fault,
				    const struct kp_arch_memory *memory)
{
	uint64_t size;
	uintptr_t block, line;
	int err;

	__asm__("mrs %0, dczid_el0" : "=r"(size));
	size = 4ul << (size & 15);
	block = (uintptr_t)((int64_t)(at << 8) >> 8) & ~(size - 1);
	s->len = size < KP_WATCH_STORE_MAX ? (unsigned int)size : KP_WATCH_STORE_MAX;
	if (fault - block >= size)
		return -EOPNOTSUPP;
	for (line = block; line < block + size; line += s->len) {
		err = memory->update(memory->arg, line, s->len, change, s);
		if (err && line == block)
			return err;
		/* All of it once more: what is done does not harm. */
		if (err) {
			s->regs->pc -= KP_A64_LEN;
			return 0;
		}
		/* The host may tell of it before the next one. */
		if (line == block)
			s->regs->pc += KP_A64_LEN;
	}
	s->regs->pstate &= ~KP_A64_PSTATE_BTYPE;
	return 0;
}

/* ---- all of them ------------------------------------------------------------------------- */

KP_TRAP_PATH int kp_arch_store(struct pt_regs *regs, const struct kp_arch_vectors *vectors,
			       const uint8_t *bytes, size_t avail, uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	struct store s = { .regs = kp_a64_regs(regs), .vectors = vectors, .op = BYTES };
	struct kp_arch_write place;
	struct kp_a64_insn insn;
	uintptr_t addr;
	int len, err;

	if (avail < KP_A64_LEN)
		return -EOPNOTSUPP;
	memcpy(&s.word, bytes, sizeof(s.word));
	kp_a64_decode(&insn, s.word);
	if (insn.class == KP_A64_SYS && insn.sysreg == DC_ZVA)
		return clear_block(&s, kp_a64_reg(s.regs, insn.rt), fault, memory);
	if (!kp_a64_is_load_store(s.word))
		return -EOPNOTSUPP;
	len = kp_a64_written(&insn);
	if (len <= 0)
		return -EOPNOTSUPP;
	s.len = (unsigned int)len;
	kp_a64_write_place(&place, s.word, len);
	kp_arch_write_at(&place, regs, &addr);
	if (fault - addr >= s.len || !understand(&s) || (s.whole && addr % s.len))
		return -EOPNOTSUPP;
	err = memory->update(memory->arg, addr, s.len, change, &s);
	if (err)
		return err;
	move_base(&s);
	load(&s);
	s.regs->pstate &= ~KP_A64_PSTATE_BTYPE;
	s.regs->pc += KP_A64_LEN;
	return 0;
}
