/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn.c - Arm's words by class, with the operands that are the PC or relative to it.
 *
 * Owns: kp_arm_decode.  Which words there are say a32.map and t32.map; here are the places
 * of fields in them, and no list of instructions.
 */
#include "insn.h"

#define bits kp_arm_bits

/* @value, whose sign stands in bit @sign. */
static int32_t extend(uint32_t value, unsigned int sign)
{
	uint32_t bit = 1u << sign;

	return (int32_t)((value ^ bit) - bit);
}

static void set_offset(struct kp_arm_insn *insn, int32_t offset, bool aligned)
{
	insn->relative = true;
	insn->aligned = aligned;
	insn->offset = offset;
}

/* One that is added, or without bit 23 subtracted. */
static void set_literal(struct kp_arm_insn *insn, uint32_t offset)
{
	set_offset(insn, insn->word >> 23 & 1 ? (int32_t)offset : -(int32_t)offset, true);
}

static void decode_a32(struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	switch (insn->class) {
	case KP_ARM_B:
	case KP_ARM_BL:
		set_offset(insn, extend(bits(word, 0, 24) << 2, 25), false);
		break;
	case KP_ARM_BLX:
		set_offset(insn, extend(bits(word, 0, 24) << 2 | bits(word, 24, 1) << 1, 25), false);
		break;
	case KP_ARM_LOAD:
	case KP_ARM_STORE:
	case KP_ARM_PRELOAD:
		if (!(insn->pc & KP_ARM_N))
			break;
		/* Words and bytes, or preloads; otherwise halves and pairs. */
		if (bits(word, 25, 3) == 2)
			set_literal(insn, bits(word, 0, 12));
		else if (!bits(word, 25, 3) && bits(word, 22, 1))
			set_literal(insn, bits(word, 8, 4) << 4 | bits(word, 0, 4));
		break;
	}
}

/* S:J2:J1 or S:I1:I2 in front of what a branch has besides. */
static void decode_branch(struct kp_arm_insn *insn)
{
	uint32_t word = insn->word, s = bits(word, 26, 1), j1 = bits(word, 13, 1),
		 j2 = bits(word, 11, 1), low = bits(word, 0, 11) << 1;

	if (insn->class == KP_ARM_B && !bits(word, 12, 1)) {
		insn->cond = (uint8_t)bits(word, 22, 4);
		set_offset(insn, extend(s << 20 | j2 << 19 | j1 << 18 | bits(word, 16, 6) << 12 | low, 20),
			   false);
		return;
	}
	set_offset(insn, extend(s << 24 | (j1 == s) << 23 | (j2 == s) << 22 |
				bits(word, 16, 10) << 12 | low, 24), insn->class == KP_ARM_BLX);
}

static void decode_wide(struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	switch (insn->class) {
	case KP_ARM_B:
	case KP_ARM_BL:
	case KP_ARM_BLX:
		decode_branch(insn);
		break;
	case KP_ARM_ADR:
		/* Bit 23 says that it is subtracted. */
		set_literal(insn, bits(word, 26, 1) << 11 | bits(word, 12, 3) << 8 | bits(word, 0, 8));
		insn->offset = -insn->offset;
		break;
	case KP_ARM_LOAD:
	case KP_ARM_PRELOAD:
		/* ldrd's are words; no other is relative but by 12 bits. */
		if (insn->pc & KP_ARM_N || bits(word, 16, 4) == KP_ARM_PC) {
			insn->pc |= KP_ARM_N;
			set_literal(insn, bits(word, 25, 7) == 0x74 ? bits(word, 0, 8) << 2 :
								      bits(word, 0, 12));
		}
		break;
	}
}

/* Registers are named by four bits, one of which stands alone. */
static void decode_high(struct kp_arm_insn *insn)
{
	unsigned int d = bits(insn->word, 7, 1) << 3 | bits(insn->word, 0, 3);
	unsigned int m = bits(insn->word, 3, 4), op = bits(insn->word, 8, 2);

	insn->pc = (uint8_t)((d == KP_ARM_PC ? KP_ARM_D : 0) | (m == KP_ARM_PC ? KP_ARM_M : 0));
	/* cmp of the PC, add of it to itself */
	insn->unpredictable = insn->pc && (op == 1 || (!op && insn->pc == (KP_ARM_D | KP_ARM_M)));
}

static void decode_narrow(struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	switch (insn->class) {
	case KP_ARM_B:
		if (bits(word, 13, 1)) {
			set_offset(insn, extend(bits(word, 0, 11) << 1, 11), false);
			break;
		}
		insn->cond = (uint8_t)bits(word, 8, 4);
		set_offset(insn, extend(bits(word, 0, 8) << 1, 8), false);
		break;
	case KP_ARM_CBZ:
		set_offset(insn, (int32_t)(bits(word, 9, 1) << 6 | bits(word, 3, 5) << 1), false);
		break;
	case KP_ARM_LITERAL:
	case KP_ARM_SHORT_ADR:
		set_offset(insn, (int32_t)bits(word, 0, 8) << 2, true);
		break;
	case KP_ARM_HIGH:
		decode_high(insn);
		break;
	case KP_ARM_BX:
	case KP_ARM_BLX_REG:
		insn->pc = bits(word, 3, 4) == KP_ARM_PC ? KP_ARM_M : 0;
		insn->unpredictable = insn->pc && insn->class == KP_ARM_BLX_REG;
		break;
	case KP_ARM_LOAD_LIST:
		insn->pc = KP_ARM_LIST;
		break;
	}
}

/* The fields that are 15, as bits of KP_ARM_N, _D, _S, _M. */
static uint16_t fifteens(uint32_t word)
{
	return (bits(word, 16, 4) == 15 ? KP_ARM_N : 0) | (bits(word, 12, 4) == 15 ? KP_ARM_D : 0) |
	       (bits(word, 8, 4) == 15 ? KP_ARM_S : 0) | (bits(word, 0, 4) == 15 ? KP_ARM_M : 0);
}

/* NOT_N stands as far from N as NOT_M from M. */
#define NOT_SHIFT 5
_Static_assert(KP_ARM_N << NOT_SHIFT == KP_ARM_NOT_N && KP_ARM_M << NOT_SHIFT == KP_ARM_NOT_M,
	       "NOT_SHIFT");

static void find_pc(struct kp_arm_insn *insn)
{
	uint16_t fields = fifteens(insn->word);

	insn->unpredictable = insn->flags & fields << NOT_SHIFT ||
			      (insn->flags & KP_ARM_NOT_LIST && bits(insn->word, 15, 1)) ||
			      (insn->flags & KP_ARM_ZERO_N && bits(insn->word, 16, 4)) ||
			      (insn->flags & KP_ARM_ZERO_D && bits(insn->word, 12, 4)) ||
			      (insn->flags & KP_ARM_PAIR &&
			       (bits(insn->word, 12, 1) || bits(insn->word, 12, 4) == KP_ARM_LR));
	insn->pc = (uint8_t)(insn->flags & fields);
	if (insn->flags & KP_ARM_LIST && bits(insn->word, 15, 1))
		insn->pc |= KP_ARM_LIST;
	/* In both sets: its offset is in words, or halves for floating point's, or there is none. */
	if (insn->class == KP_ARM_COPRO && insn->pc & KP_ARM_N)
		set_literal(insn, !bits(insn->word, 24, 1) ? 0 :
			    bits(insn->word, 0, 8) << (bits(insn->word, 8, 4) == 9 ? 1 : 2));
}

void kp_arm_decode(struct kp_arm_insn *insn, uint32_t word, bool thumb)
{
	struct kp_arm_row row;
	uint8_t cond = KP_ARM_ALWAYS;
	uint32_t key;

	*insn = (struct kp_arm_insn) { .len = 4, .thumb = thumb };
	if (!thumb && word >> 28 != 15)
		cond = (uint8_t)(word >> 28);
	if (thumb && !kp_arm_is_wide((uint16_t)word)) {
		insn->len = 2;
		word &= 0xFFFF;
	} else if (thumb) {
		word = word << 16 | word >> 16;
	}
	insn->word = word;
	insn->cond = cond;
	/* The map has any condition as that which always holds. */
	key = !thumb && word >> 28 != 15 ? (word & 0x0FFFFFFF) | 0xE0000000 : word;
	if (!(thumb ? kp_arm_t32_row(&row, key) : kp_arm_a32_row(&row, key)))
		return;
	insn->class = row.class;
	insn->flags = row.flags;
	if (insn->len == 4)
		find_pc(insn);
	if (!thumb)
		decode_a32(insn);
	else if (insn->len == 4)
		decode_wide(insn);
	else
		decode_narrow(insn);
	if (insn->unpredictable)
		insn->class = KP_ARM_UNALLOCATED;
}
