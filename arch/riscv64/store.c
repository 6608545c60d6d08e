/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.c - instructions that write memory, done by the engine.
 *
 * Owns: kp_arch_store.  Invariant: regs change only after the host has written.
 * Declined is what is not listed here: a store-conditional, which alone does not say what
 * was loaded (monitor.h), vectors, and an atomic instruction off its boundary.
 */
#include "probe.h"
#include "watch.h"

#define STORE_FP 0x27u
#define AMO 0x2fu
#define FLOAT_LEN 8			/* in an image */

/* As an atomic instruction has it in its highest bits; BYTES: any other store. */
enum op {
	ADD = 0, SWAP = 1, XOR = 4, OR = 8, AND = 12, MIN = 16, MAX = 20,
	UNSIGNED_MIN = 24, UNSIGNED_MAX = 28, BYTES = 32,
};

struct store {
	struct kp_rv_regs *regs;
	unsigned int op, len;
	uint64_t value, old;
};

KP_TRAP_PATH static uint64_t get(const struct kp_rv_regs *regs, unsigned int nr)
{
	return nr ? regs->x1[nr - 1] : 0;
}

/* ---- what is made of the old bytes ----------------------------------------------- */

KP_TRAP_PATH static int64_t extended(uint64_t value, unsigned int len)
{
	unsigned int shift = 64 - 8 * len;

	return (int64_t)(value << shift) >> shift;
}

KP_TRAP_PATH static uint64_t compute(const struct store *s)
{
	int64_t a = extended(s->old, s->len), b = extended(s->value, s->len);
	uint64_t below = s->len < 8 ? (1ull << 8 * s->len) - 1 : ~0ull;
	bool less = (s->old & below) < (s->value & below);

	switch (s->op) {
	case ADD:
		return s->old + s->value;
	case XOR:
		return s->old ^ s->value;
	case OR:
		return s->old | s->value;
	case AND:
		return s->old & s->value;
	case MIN:
		return a < b ? s->old : s->value;
	case MAX:
		return a < b ? s->value : s->old;
	case UNSIGNED_MIN:
		return less ? s->old : s->value;
	case UNSIGNED_MAX:
		return less ? s->value : s->old;
	default:
		return s->value;
	}
}

KP_TRAP_PATH static void change(void *op, const uint8_t *old, uint8_t *new)
{
	struct store *s = op;
	uint64_t value;

	s->old = 0;
	memcpy(&s->old, old, s->len);
	value = compute(s);
	memcpy(new, &value, s->len);
}

/* ---- what the instruction names ---------------------------------------------------- */

/* The number of the register that is stored; *floats: one for floating point. */
KP_TRAP_PATH static unsigned int source(const struct kp_rv_insn *insn, bool *floats)
{
	uint32_t word = insn->word;

	if (insn->len == 4) {
		*floats = (word & 0x7f) == STORE_FP;
		return word >> 20 & 31;
	}
	*floats = word >> 13 == 5;
	return (word & 3) == 2 ? word >> 2 & 31 : 8 + (word >> 2 & 7);
}

KP_TRAP_PATH static bool is_atomic(const struct kp_rv_insn *insn)
{
	return insn->len == 4 && (insn->word & 0x7f) == AMO;
}

KP_TRAP_PATH static bool understand(struct store *s, const struct kp_rv_insn *insn,
				    const struct kp_arch_vectors *vectors)
{
	bool floats;
	unsigned int reg = source(insn, &floats);

	s->op = is_atomic(insn) ? insn->word >> 27 : BYTES;
	if (!floats)
		s->value = get(s->regs, reg);
	else if (vectors)
		memcpy(&s->value, (const uint8_t *)vectors->image + FLOAT_LEN * reg, FLOAT_LEN);
	return !floats || vectors;
}

KP_TRAP_PATH int kp_arch_store(struct pt_regs *regs, const struct kp_arch_vectors *vectors,
			       const uint8_t *bytes, size_t avail, uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	struct store s = { .regs = kp_rv_regs(regs) };
	struct kp_arch_write place;
	struct kp_rv_insn insn;
	uint32_t word = 0;
	uintptr_t addr;
	int err;

	memcpy(&word, bytes, avail < sizeof(word) ? avail : sizeof(word));
	kp_rv_decode(&insn, word);
	if (kp_arch_write_of(&place, regs->epc, bytes, avail, KP_ARCH_USER) != KP_ARCH_WRITES_AT)
		return -EOPNOTSUPP;
	s.len = (unsigned int)kp_arch_write_at(&place, regs, &addr);
	if (fault - addr >= s.len || !understand(&s, &insn, vectors) ||
	    (s.op != BYTES && addr % s.len))
		return -EOPNOTSUPP;
	err = memory->update(memory->arg, addr, s.len, change, &s);
	if (err)
		return err;
	if (s.op != BYTES && (word >> 7 & 31))
		s.regs->x1[(word >> 7 & 31) - 1] = (uint64_t)extended(s.old, s.len);
	regs->epc += insn.len;
	return 0;
}
