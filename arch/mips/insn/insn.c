/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn.c - MIPS words by class, with the fields that their class has.
 *
 * Owns: kp_mips_decode, kp_mips_operand.  Which words there are says opcodes.map; here are
 * the places of fields in them, and what their values mean to a class.
 */
#include "insn.h"

#include "opcode_tables.h"

/* Of two that differ in one bit the first has the condition, the second its opposite. */
#define EITHER(word, bit, this, other) ((word) >> (bit) & 1 ? (other) : (this))

static unsigned int opcode(uint32_t word)
{
	return word >> 26;
}

/* @nr bits of @word from @low on. */
static uint32_t field(uint32_t word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

/* The lowest @nr bits of @word, with their sign, times 1 << @scale. */
static int32_t extend(uint32_t word, unsigned int nr, unsigned int scale)
{
	uint32_t sign = 1u << (nr - 1), value = field(word, 0, nr);

	return (int32_t)(((value ^ sign) - sign) << scale);
}

static void decode_branch(struct kp_mips_insn *insn)
{
	uint32_t word = insn->word;

	insn->a = (uint8_t)field(word, 21, 5);
	insn->offset = extend(word, 16, 2);
	if (opcode(word) == 1) {
		insn->cond = EITHER(word, 16, KP_MIPS_LTZ, KP_MIPS_GEZ);
		return;
	}
	insn->b = (uint8_t)field(word, 16, 5);
	insn->cond = EITHER(word, 27, EITHER(word, 26, KP_MIPS_EQ, KP_MIPS_NE),
			    EITHER(word, 26, KP_MIPS_LEZ, KP_MIPS_GTZ));
}

/* Which of several an opcode is says how rs and rt compare as numbers. */
static void decode_compact(struct kp_mips_insn *insn)
{
	uint32_t word = insn->word;
	uint8_t rs = (uint8_t)field(word, 21, 5), rt = (uint8_t)field(word, 16, 5);
	unsigned int code = opcode(word);

	insn->offset = extend(word, 16, 2);
	insn->a = rt;
	switch (code) {
	case 0x32:			/* bc balc */
	case 0x3A:
		insn->a = KP_MIPS_NO_REG;
		insn->cond = KP_MIPS_ALWAYS;
		insn->offset = extend(word, 26, 2);
		return;
	case 0x36:			/* beqzc bnezc */
	case 0x3E:
		insn->a = rs;
		insn->b = KP_MIPS_ZERO;
		insn->cond = EITHER(code, 3, KP_MIPS_EQ, KP_MIPS_NE);
		insn->offset = extend(word, 21, 2);
		return;
	case 0x08:
	case 0x18:
		insn->b = rs;
		insn->cond = rs >= rt ? EITHER(code, 4, KP_MIPS_OVERFLOW, KP_MIPS_NO_OVERFLOW)
				      : EITHER(code, 4, KP_MIPS_EQ, KP_MIPS_NE);
		return;
	}
	/* Of zero and rt, of rt twice: of rt alone. */
	if (!rs) {
		insn->cond = EITHER(code, 0, KP_MIPS_LEZ, KP_MIPS_GTZ);
	} else if (rs == rt) {
		insn->cond = EITHER(code, 0, KP_MIPS_GEZ, KP_MIPS_LTZ);
	} else {
		insn->a = rs;
		insn->b = rt;
		insn->cond = EITHER(code, 4, EITHER(code, 0, KP_MIPS_GEU, KP_MIPS_LTU),
				    EITHER(code, 0, KP_MIPS_GE, KP_MIPS_LT));
	}
}

/* auipc aluipc; ldpc; and the others, whose offsets count words. */
static void decode_relative(struct kp_mips_insn *insn)
{
	uint32_t word = insn->word;

	insn->rd = (uint8_t)field(word, 21, 5);
	insn->offset = field(word, 19, 2) != 3	 ? extend(word, 19, 2)
		       : field(word, 18, 1) == 0 ? extend(word, 18, 3)
						 : extend(word, 16, 16);
}

static void decode_fields(struct kp_mips_insn *insn)
{
	uint32_t word = insn->word;

	switch (insn->class) {
	case KP_MIPS_JUMP:
		insn->offset = (int32_t)(field(word, 0, 26) << 2);
		break;
	case KP_MIPS_JUMP_REG:
		insn->a = (uint8_t)field(word, 21, 5);
		if (insn->flags & KP_MIPS_LINK)
			insn->rd = (uint8_t)field(word, 11, 5);
		break;
	case KP_MIPS_BRANCH:
		decode_branch(insn);
		break;
	case KP_MIPS_BRANCH_COP:
		insn->offset = extend(word, 16, 2);
		break;
	case KP_MIPS_COMPACT:
		decode_compact(insn);
		break;
	case KP_MIPS_COMPACT_REG:
		insn->a = (uint8_t)field(word, 16, 5);
		insn->offset = extend(word, 16, 0);
		break;
	case KP_MIPS_ADDRESS:
	case KP_MIPS_LOAD_RELATIVE:
		decode_relative(insn);
		break;
	}
}

void kp_mips_decode(struct kp_mips_insn *insn, uint32_t word, unsigned int modes)
{
	const struct row *row = find_row(word, (modes & KP_MIPS_RELEASE6 ? KP_MIPS_OLD : KP_MIPS_NEW) |
					       (modes & KP_MIPS_64 ? 0 : KP_MIPS_WIDE));

	*insn = (struct kp_mips_insn) {
		.word = word, .class = KP_MIPS_UNALLOCATED,
		.a = KP_MIPS_NO_REG, .b = KP_MIPS_NO_REG, .rd = KP_MIPS_NO_REG,
	};
	if (!row)
		return;
	insn->class = row->class;
	insn->flags = (uint8_t)(row->flags & ~(KP_MIPS_OLD | KP_MIPS_NEW | KP_MIPS_WIDE));
	if (insn->flags & KP_MIPS_LINK)
		insn->rd = KP_MIPS_RA;
	decode_fields(insn);
}

uint64_t kp_mips_operand(const struct kp_mips_insn *insn, uint64_t addr)
{
	uint64_t offset = (uint64_t)(int64_t)insn->offset;

	switch (insn->class) {
	case KP_MIPS_JUMP:
		/* Within the 256 MB that the word behind it is in. */
		return ((addr + 4) & ~0x0FFFFFFFull) | offset;
	case KP_MIPS_ADDRESS:
		return field(insn->word, 16, 5) == 0x1F ? (addr + offset) & ~0xFFFFull : addr + offset;
	case KP_MIPS_LOAD_RELATIVE:
		return field(insn->word, 20, 1) && field(insn->word, 19, 1) ? (addr & ~7ull) + offset
									   : addr + offset;
	default:
		return addr + 4 + offset;
	}
}
