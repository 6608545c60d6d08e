/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * store.c - instructions that write memory, done by the engine.
 *
 * Owns: kp_arch_store.  Invariant: regs change only after the host has written.
 * A store in a delay slot faults with its branch's address: both are done then, the branch
 * first, which the store's registers are behind.  Declined is what is not listed in
 * written.c: a store-conditional, which alone does not say what was loaded (monitor.h), and
 * what MSA stores; and branches that go by a coprocessor's register.
 */
#include "emulate.h"
#include "store.h"

#define FLOAT_LEN 8			/* in an image */
#define COP1_BC 0x228u			/* bc1f bc1t, their likely forms: the highest bits */

struct bytes {
	uint64_t value;
	unsigned int len;
};

KP_TRAP_PATH static void change(void *op, const uint8_t *old, uint8_t *new)
{
	const struct bytes *b = op;
	unsigned int i;

	(void)old;
	for (i = 0; i < b->len; i++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		new[i] = (uint8_t)(b->value >> 8 * i);
#else
		new[i] = (uint8_t)(b->value >> 8 * (b->len - 1 - i));
#endif
	}
}

/* ---- the branch before it -------------------------------------------------------------- */

/* By floating point's flag, as they count since the first release. */
KP_TRAP_PATH static bool go_by_flag(const struct kp_mips_insn *branch, struct pt_regs *regs,
				    const struct kp_arch_vectors *vectors)
{
	uint32_t word = branch->word;
	unsigned int flag = word >> 18 & 7;
	bool is_set;

	if (word >> 21 != COP1_BC || !vectors || !vectors->fcsr)
		return false;
	is_set = *vectors->fcsr >> (flag ? 24 + flag : 23) & 1;
	if (is_set == (word >> 16 & 1))
		regs->cp0_epc = (uintptr_t)kp_mips_operand(branch, regs->cp0_epc);
	else
		regs->cp0_epc += 8;
	return true;
}

/* regs: where it goes, and its link. */
KP_TRAP_PATH static bool branches(const struct kp_mips_insn *branch, struct pt_regs *regs,
				  const struct kp_arch_vectors *vectors)
{
	if (branch->class == KP_MIPS_BRANCH_COP)
		return go_by_flag(branch, regs, vectors);
	return !kp_mips_emulate(branch, regs->cp0_epc, regs, NULL);
}

/* ---- the store --------------------------------------------------------------------------- */

KP_TRAP_PATH static bool load(const struct kp_mips_store *store, const struct pt_regs *regs,
			      const struct kp_arch_vectors *vectors, uint64_t *value)
{
	if (store->source == KP_MIPS_GENERAL) {
		*value = store->reg ? regs->regs[store->reg] : 0;
		return true;
	}
	/* On 32 bits an image does not say whether registers are pairs. */
	if (!vectors || !vectors->image || sizeof(long) == 4)
		return false;
	memcpy(value, (const uint8_t *)vectors->image + FLOAT_LEN * store->reg, FLOAT_LEN);
	return true;
}

/* The instruction, or the one in its delay slot; false: there is none that is known. */
KP_TRAP_PATH static bool understand(struct kp_mips_store *store, struct pt_regs *after,
				    const struct kp_arch_vectors *vectors, const uint8_t *bytes,
				    size_t avail)
{
	struct kp_mips_insn insn;
	uint32_t words[2] = { 0 };

	memcpy(words, bytes, avail < sizeof(words) ? avail : sizeof(words));
	kp_mips_decode(&insn, words[0], KP_MIPS_HERE);
	if (!kp_mips_has_slot(&insn)) {
		kp_mips_store_of(store, words[0]);
		after->cp0_epc += 4;
	} else if (avail < sizeof(words) || !branches(&insn, after, vectors)) {
		return false;
	} else {
		kp_mips_store_of(store, words[1]);
	}
	return store->source == KP_MIPS_GENERAL || store->source == KP_MIPS_FLOAT;
}

KP_TRAP_PATH int kp_arch_store(struct pt_regs *regs, const struct kp_arch_vectors *vectors,
			       const uint8_t *insn, size_t avail, uintptr_t fault,
			       const struct kp_arch_memory *memory)
{
	struct pt_regs after = *regs;
	struct kp_mips_store store;
	struct bytes bytes = { 0 };
	uintptr_t addr;
	int err;

	if (!understand(&store, &after, vectors, insn, avail) ||
	    !load(&store, &after, vectors, &bytes.value))
		return -EOPNOTSUPP;
	bytes.len = (unsigned int)kp_arch_write_at(&store.to, &after, &addr);
	if (fault - addr >= bytes.len)
		return -EOPNOTSUPP;
	/* The upper part of it. */
	if (store.to.part == KP_MIPS_LEFT)
		bytes.value = (store.to.len == 4 ? (uint32_t)bytes.value : bytes.value) >>
			      8 * (store.to.len - bytes.len);
	err = memory->update(memory->arg, addr, bytes.len, change, &bytes);
	if (!err)
		*regs = after;
	return err;
}
