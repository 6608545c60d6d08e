/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reserved.c - is a store-conditional to be reached from here?
 *
 * Owns: kp_rv_is_reserved, and what RISC-V instructions are to arch/shared/risc/region.c:
 *
 *	load-reserved		ends a path: what comes later has its own
 *	jalr, sret, ecall ...	end one: the manual wants a loop that is to come to its end
 *				to be straight, but for the branches back and out of it, and
 *				a trap takes reservations away
 *	jal, c.j		go on at the target; those that call, behind it, too
 *	branches		go on at the target and behind
 *	what is unknown		goes on behind, as long as its length is known: processors
 *				have more than is known here
 */
#include "region.h"
#include "reserved.h"

static enum kp_region_step step_of(const struct kp_rv_insn *insn)
{
	switch (insn->class) {
	case KP_RV_UNALLOCATED:
		return insn->len ? KP_REGION_ON : KP_REGION_UNKNOWN;
	case KP_RV_STORE_CONDITIONAL:
		return KP_REGION_STORE;
	case KP_RV_LOAD_RESERVED:
		return KP_REGION_LOAD;
	case KP_RV_JALR:
	case KP_RV_RETURN:
	case KP_RV_EXCEPTION:
		return KP_REGION_END;
	case KP_RV_JAL:
		return insn->rd == KP_RV_ZERO ? KP_REGION_AWAY : KP_REGION_EITHER;
	case KP_RV_BRANCH:
		return KP_REGION_EITHER;
	default:
		return KP_REGION_ON;
	}
}

static void decode(struct kp_region_insn *to, uint32_t word, uintptr_t addr)
{
	struct kp_rv_insn insn;

	(void)addr;
	kp_rv_decode(&insn, word);
	*to = (struct kp_region_insn) {
		.step = step_of(&insn), .len = insn.len, .offset = insn.offset,
	};
}

bool kp_rv_is_reserved(uintptr_t start, size_t len, uintptr_t addr,
		       int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	const struct kp_region_text text = {
		.start = start, .len = len & ~(size_t)1, .read = read,
		.unit = 2, .decode = decode,
		/* sc.w, sc.d */
		.store_mask = 0xF800607F, .store_value = 0x1800202F,
	};

	return addr - start < text.len && kp_region_is_reserved(&text, addr - start);
}
