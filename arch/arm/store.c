/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.c - instructions that write memory, done by the engine.
 *
 * Owns: kp_arch_store.  Invariant: regs change only after the host has written.
 * Declined is what is not listed in written.c: a store-exclusive, which alone does not say
 * what was loaded (monitor.h); the PC, which processors store differently; what a program with
 * the other byte order for data stores; and more bytes than can be told at once, on two pages.
 */
#include "probe.h"
#include "store.h"
#include "watch.h"

#define MOST (16 * KP_ARM_FLOAT_LEN)	/* vstm */

struct store {
	const struct kp_arm_insn *insn;
	struct kp_arm_access access;
	uint8_t bytes[MOST];
	unsigned int done, len;		/* of these, and at once */
	uint32_t old;
};

KP_TRAP_PATH static void change(void *op, const uint8_t *old, uint8_t *new)
{
	struct store *s = op;

	if (kp_arm_swaps(s->insn))
		memcpy(&s->old, old, s->len);
	memcpy(new, s->bytes + s->done, s->len);
}

/* ---- what is stored --------------------------------------------------------------------- */

KP_TRAP_PATH static bool take(struct store *s, unsigned int at, unsigned int reg, unsigned int len,
			      const struct kp_arm_regs *regs)
{
	if (reg == KP_ARM_PC)
		return false;
	memcpy(s->bytes + at, &regs->r[reg], len);
	return true;
}

KP_TRAP_PATH static bool one(struct store *s, const struct kp_arm_regs *regs)
{
	unsigned int len = s->access.len;

	if (len < 8)
		return take(s, 0, s->access.d, len, regs);
	return take(s, 0, s->access.d, 4, regs) && take(s, 4, s->access.d2, 4, regs);
}

KP_TRAP_PATH static bool list(struct store *s, const struct kp_arm_regs *regs)
{
	unsigned int reg, at = 0;

	for (reg = 0; reg < 16; reg++)
		if (s->access.list >> reg & 1) {
			if (!take(s, at, reg, 4, regs))
				return false;
			at += 4;
		}
	return true;
}

/* Element after element, of each register in turn. */
KP_TRAP_PATH static void structures(struct store *s, const uint8_t *image)
{
	unsigned int again, element, reg, at = 0, of;
	struct kp_arm_structure t;

	kp_arm_structure(&t, s->insn->word);
	for (again = 0; again < t.times; again++)
		for (element = 0; element < (t.lane ? 1u : KP_ARM_FLOAT_LEN / t.size); element++)
			for (reg = 0; reg < t.nr; reg++, at += t.size) {
				of = KP_ARM_FLOAT_LEN * (s->access.d + again + reg * t.apart);
				memcpy(s->bytes + at, image + of + t.size * (t.lane ? t.index : element), t.size);
			}
}

KP_TRAP_PATH static bool gather(struct store *s, const struct kp_arm_regs *regs,
				const struct kp_arch_vectors *vectors)
{
	const uint8_t *image = vectors ? vectors->image : NULL;

	switch (kp_arm_stored(s->insn)) {
	case KP_ARM_STORES_ONE:
		return one(s, regs);
	case KP_ARM_STORES_LIST:
		return list(s, regs);
	case KP_ARM_STORES_FLOATS:
		if (image)
			memcpy(s->bytes, image + s->access.image, s->access.len);
		return image;
	case KP_ARM_STORES_STRUCTURES:
		if (image)
			structures(s, image);
		return image;
	default:
		return false;
	}
}

/* ---- all of them --------------------------------------------------------------------------- */

KP_TRAP_PATH static void finish(const struct store *s, struct kp_arm_regs *regs)
{
	if (s->access.writes_back)
		regs->r[s->access.n] = s->access.written_back;
	kp_arm_go_on(s->insn, regs);
}

/*
 * In pieces that can be told, if it has to be; it may be told of each before the next one.  If
 * that cannot be done, all of it once more: what is done does not harm.
 */
KP_TRAP_PATH static int write(struct store *s, struct kp_arm_regs *regs, const struct kp_arch_memory *memory)
{
	const struct kp_arm_regs before = *regs;
	int err;

	for (s->done = 0; s->done < s->access.len; s->done += s->len) {
		s->len = s->access.len - s->done;
		if (s->len > KP_WATCH_STORE_MAX)
			s->len = KP_WATCH_STORE_MAX;
		err = memory->update(memory->arg, s->access.addr + s->done, s->len, change, s);
		if (err && !s->done)
			return err;
		if (err) {
			*regs = before;
			return 0;
		}
		if (!s->done)
			finish(s, regs);
	}
	return 0;
}

KP_TRAP_PATH static bool is_one_page(const struct kp_arm_access *access)
{
	return access->addr / KP_ARCH_PAGE == (access->addr + access->len - 1) / KP_ARCH_PAGE;
}

KP_TRAP_PATH int kp_arch_store(struct pt_regs *regs, const struct kp_arch_vectors *vectors,
			       const uint8_t *bytes, size_t avail, uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	struct kp_arm_regs *seen = kp_arm_regs(regs);
	struct kp_arm_insn insn;
	struct store s = { .insn = &insn };
	uint32_t word = 0;
	bool swaps;
	int err;

	memcpy(&word, bytes, avail < sizeof(word) ? avail : sizeof(word));
	kp_arm_decode(&insn, word, seen->cpsr & KP_ARM_CPSR_T);
	if (avail < insn.len || seen->cpsr & KP_ARM_CPSR_E || !kp_arm_goes(&insn, seen->cpsr) ||
	    kp_arm_stored(&insn) == KP_ARM_STORES_NONE || kp_arm_stored(&insn) == KP_ARM_STORES_UNCERTAIN)
		return -EOPNOTSUPP;
	kp_arm_store_place(&s.access, &insn, seen->pc, seen);
	swaps = kp_arm_swaps(&insn);
	if (fault - s.access.addr >= s.access.len || (swaps && s.access.addr % s.access.len) ||
	    (s.access.len > KP_WATCH_STORE_MAX && !is_one_page(&s.access)) || !gather(&s, seen, vectors))
		return -EOPNOTSUPP;
	err = write(&s, seen, memory);
	if (!err && swaps)
		seen->r[s.access.d2] = s.old;
	return err;
}
