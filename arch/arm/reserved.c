/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reserved.c - is a store-exclusive to be reached from here?
 *
 * Owns: kp_arm_is_reserved, and what Arm's instructions are to arch/shared/risc/region.c:
 *
 *	load-exclusive		ends a path: what comes later has its own
 *	clrex, svc ...		end one: no reservation is left
 *	bl, blx			go on behind, and at the target; one to the other set is a call
 *				and goes on behind alone
 *	what goes to a register's address, or loads the PC, ends one, but for calls: within a
 *				loop that reserves there is none; where a condition may keep
 *				it from that, it goes on behind
 *	branches		go on at the target; those with a condition behind, too
 *	IT blocks		give what is in them a condition.  Where one may begin shows what
 *				stands before: also if that is data, it counts
 *	what is unknown		goes on behind: its length is known
 */
#include "insn/insn.h"
#include "region.h"
#include "reserved.h"

bool kp_arm_may_be_in_block(const uint8_t before[KP_REGION_BEFORE])
{
	uint16_t halves[KP_REGION_BEFORE / 2];
	const int end = KP_REGION_BEFORE / 2;
	int it, at, left;

	memcpy(halves, before, sizeof(halves));
	for (it = 1; it < end; it++) {
		if (halves[it] >> 8 != 0xBF || !(halves[it] & 0xF))
			continue;
		/* As many as there are bits above the lowest 1, and that. */
		left = 4 - __builtin_ctz(halves[it] & 0xF);
		for (at = it + 1; at < end && left; left--)
			at += kp_arm_is_wide(halves[at]) ? 2 : 1;
		if (at == end && left)
			return true;
	}
	return false;
}

static bool may_fail(const struct kp_arm_insn *insn)
{
	return insn->cond != KP_ARM_ALWAYS;
}

static bool writes_pc(const struct kp_arm_insn *insn)
{
	switch (insn->class) {
	case KP_ARM_DATA:
	case KP_ARM_HIGH:
	case KP_ARM_LOAD:
		return insn->pc & KP_ARM_D;
	case KP_ARM_LOAD_LIST:
		return insn->pc & KP_ARM_LIST;
	case KP_ARM_BX:
	case KP_ARM_BXJ:
	case KP_ARM_TABLE:
	case KP_ARM_RETURN:
		return true;
	}
	return false;
}

static enum kp_region_step step_of(const struct kp_arm_insn *insn)
{
	if (writes_pc(insn))
		return may_fail(insn) ? KP_REGION_ON : KP_REGION_END;
	switch (insn->class) {
	case KP_ARM_STORE_EXCLUSIVE:
		return KP_REGION_STORE;
	case KP_ARM_LOAD_EXCLUSIVE:
		return may_fail(insn) ? KP_REGION_ON : KP_REGION_LOAD;
	case KP_ARM_CLREX:
	case KP_ARM_EXCEPTION:
		return may_fail(insn) ? KP_REGION_ON : KP_REGION_END;
	case KP_ARM_B:
	case KP_ARM_BL:
	case KP_ARM_CBZ:
		return insn->class != KP_ARM_B || may_fail(insn) ? KP_REGION_EITHER : KP_REGION_AWAY;
	default:
		return KP_REGION_ON;
	}
}

static void decode(struct kp_region_insn *to, uint32_t word, bool thumb, bool conditional)
{
	struct kp_arm_insn insn;

	kp_arm_decode(&insn, word, thumb);
	if (conditional)
		insn.cond = 0;
	*to = (struct kp_region_insn) {
		.step = step_of(&insn), .len = insn.len,
		.offset = insn.relative ? (int64_t)insn.offset + (thumb ? 4 : 8) : 0,
	};
}

static void decode_a32(struct kp_region_insn *to, uint32_t word, uintptr_t addr)
{
	(void)addr;
	decode(to, word, false, false);
}

static void decode_t32(struct kp_region_insn *to, uint32_t word,
		       const uint8_t before[KP_REGION_BEFORE])
{
	decode(to, word, true, kp_arm_may_be_in_block(before));
}

bool kp_arm_is_reserved(uintptr_t start, size_t len, uintptr_t addr, bool thumb,
			int (*read)(uint8_t *dst, uintptr_t addr, size_t len))
{
	const unsigned int unit = thumb ? 2 : 4;
	const struct kp_region_text text = {
		.start = start, .len = len & ~(size_t)(unit - 1), .read = read,
		.unit = unit, .decode = decode_a32, .decode_behind = thumb ? decode_t32 : NULL,
		/* strex strexb stlex ...: of T32 in the order of memory. */
		.store_mask = thumb ? 0x0000FF70 : 0x0F9000F0,
		.store_value = thumb ? 0x0000E840 : 0x01800090,
	};

	return addr - start < text.len && kp_region_is_reserved(&text, addr - start);
}
