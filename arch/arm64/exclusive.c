/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exclusive.c - is a store-exclusive to be reached from here?
 *
 * Owns: kp_arch_refuse_around, and what A64 instructions are to arch/shared/risc/region.c:
 *
 *	load-exclusive, clrex	end a path: what comes later has its own
 *	br blr ret eret svc ...	end one: the manual rules indirect branches and
 *				exceptions out between the two, for loops that are to
 *				come to their end
 *	b, b.cond, cbz, tbz	go on at the target, and behind unless always taken
 *	bl			goes on behind, and at a target in the function
 */
#include "arch.h"
#include "region.h"

static enum kp_region_step step_of(const struct kp_a64_insn *insn)
{
	switch (insn->class) {
	case KP_A64_STORE_EXCLUSIVE:
		return KP_REGION_STORE;
	case KP_A64_LOAD_EXCLUSIVE:
		return KP_REGION_LOAD;
	case KP_A64_UNALLOCATED:
	case KP_A64_CLREX:
	case KP_A64_BR:
	case KP_A64_BLR:
	case KP_A64_RET:
	case KP_A64_ERET:
	case KP_A64_EXCEPTION:
		return KP_REGION_END;
	case KP_A64_B:
		return KP_REGION_AWAY;
	case KP_A64_BL:
	case KP_A64_BCOND:
	case KP_A64_CBZ:
	case KP_A64_TBZ:
		return KP_REGION_EITHER;
	default:
		return KP_REGION_ON;
	}
}

static void decode(struct kp_region_insn *to, uint32_t word, uintptr_t addr)
{
	struct kp_a64_insn insn;

	(void)addr;
	kp_a64_decode(&insn, word);
	*to = (struct kp_region_insn) {
		.step = step_of(&insn), .len = KP_A64_LEN, .offset = insn.offset,
	};
}

int kp_arch_refuse_around(uintptr_t start, size_t len, uintptr_t addr,
			  unsigned int text_flags,
			  int (*read)(uint8_t *dst, uintptr_t addr, size_t len),
			  const char **reason)
{
	const struct kp_region_text text = {
		.start = start, .len = len - len % KP_A64_LEN, .read = read,
		.unit = KP_A64_LEN, .decode = decode,
		/* What all store-exclusives have in common. */
		.store_mask = 0x3fc00000, .store_value = 0x08000000,
	};

	(void)text_flags;
	if (addr - start >= text.len || !kp_region_is_reserved(&text, addr - start))
		return 0;
	*reason = "it may be between a load-exclusive and its store-exclusive, whose loop a trap would make endless";
	return -EOPNOTSUPP;
}
