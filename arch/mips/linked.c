/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linked.c - is a store-conditional to be reached from here?
 *
 * Owns: kp_mips_is_linked, and what MIPS instructions are to arch/shared/risc/region.c:
 *
 *	load-linked		ends a path: what comes later has its own
 *	jr, eret, syscall ...	end one: the manual wants no such thing in a loop that is to
 *				come to its end, and a trap takes links away
 *	j, branches		go on at the target and behind, by way of the delay slot; also
 *				those that are always taken, so that their slots are seen
 *	calls			go on behind
 *	what is unknown		goes on behind: it is as long as all others
 */
#include "linked.h"
#include "region.h"
#include "regs.h"

static enum kp_region_step step_of(const struct kp_mips_insn *insn)
{
	switch (insn->class) {
	case KP_MIPS_STORE_CONDITIONAL:
		return KP_REGION_STORE;
	case KP_MIPS_LOAD_LINKED:
		return KP_REGION_LOAD;
	case KP_MIPS_JUMP:
		return insn->flags & KP_MIPS_LINK ? KP_REGION_ON : KP_REGION_EITHER;
	case KP_MIPS_JUMP_REG:
	case KP_MIPS_COMPACT_REG:
		return insn->flags & KP_MIPS_LINK && insn->rd != KP_MIPS_ZERO ? KP_REGION_ON
									      : KP_REGION_END;
	case KP_MIPS_RETURN:
	case KP_MIPS_EXCEPTION:
		return KP_REGION_END;
	case KP_MIPS_BRANCH:
	case KP_MIPS_BRANCH_COP:
	case KP_MIPS_COMPACT:
		return KP_REGION_EITHER;
	default:
		return KP_REGION_ON;
	}
}

static void decode(struct kp_region_insn *to, uint32_t word, uintptr_t addr)
{
	struct kp_mips_insn insn;

	kp_mips_decode(&insn, word, KP_MIPS_HERE);
	*to = (struct kp_region_insn) {
		.step = step_of(&insn), .len = 4,
		.offset = (int64_t)(kp_mips_operand(&insn, addr) - addr),
	};
}

bool kp_mips_is_linked(uintptr_t start, size_t len, uintptr_t addr,
		       int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	const struct kp_region_text text = {
		.start = start, .len = len & ~(size_t)3, .read = read,
		.unit = 4, .decode = decode,
		/* sc scd sce, of all releases. */
		.store_mask = 0x60000000, .store_value = 0x60000000,
	};

	return addr - start < text.len && kp_region_is_reserved(&text, addr - start);
}
