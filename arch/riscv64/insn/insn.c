/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn.c - RISC-V words by class, with the fields that their class has.
 *
 * Owns: kp_rv_decode, kp_rv_length.  Which words there are says opcodes.map; here are the
 * places of fields in them, and no list of instructions.
 */
#include "insn.h"

#include "opcode_tables.h"

/* @nr bits of @word from @low on, to where they stand in a number. */
static uint32_t part(uint32_t word, unsigned int low, unsigned int nr, unsigned int to)
{
	return (word >> low & ((1u << nr) - 1)) << to;
}

static uint8_t reg(uint32_t word, unsigned int low)
{
	return (uint8_t)part(word, low, 5, 0);
}

/* One of x8 to x15, as compressed instructions name them. */
static uint8_t short_reg(uint32_t word, unsigned int low)
{
	return (uint8_t)(8 + part(word, low, 3, 0));
}

/* @value, whose sign stands in bit @sign. */
static int64_t extend(uint32_t value, unsigned int sign)
{
	int64_t bit = 1ll << sign;

	return ((int64_t)value ^ bit) - bit;
}

static int64_t jal_offset(uint32_t word)
{
	return extend(part(word, 31, 1, 20) | part(word, 12, 8, 12) | part(word, 20, 1, 11) |
		      part(word, 21, 10, 1), 20);
}

static int64_t branch_offset(uint32_t word)
{
	return extend(part(word, 31, 1, 12) | part(word, 7, 1, 11) | part(word, 25, 6, 5) |
		      part(word, 8, 4, 1), 12);
}

/* c.j */
static int64_t short_jump_offset(uint32_t word)
{
	return extend(part(word, 12, 1, 11) | part(word, 8, 1, 10) | part(word, 9, 2, 8) |
		      part(word, 6, 1, 7) | part(word, 7, 1, 6) | part(word, 2, 1, 5) |
		      part(word, 11, 1, 4) | part(word, 3, 3, 1), 11);
}

/* c.beqz, c.bnez */
static int64_t short_branch_offset(uint32_t word)
{
	return extend(part(word, 12, 1, 8) | part(word, 5, 2, 6) | part(word, 2, 1, 5) |
		      part(word, 10, 2, 3) | part(word, 3, 2, 1), 8);
}

static void decode_short(struct kp_rv_insn *insn, uint32_t word)
{
	switch (insn->class) {
	case KP_RV_JAL:
		insn->rd = KP_RV_ZERO;
		insn->offset = short_jump_offset(word);
		break;
	case KP_RV_JALR:	/* c.jr, c.jalr */
		insn->rd = part(word, 12, 1, 0) ? KP_RV_RA : KP_RV_ZERO;
		insn->rs1 = reg(word, 7);
		break;
	case KP_RV_BRANCH:
		insn->rs1 = short_reg(word, 7);
		insn->rs2 = KP_RV_ZERO;
		insn->cond = part(word, 13, 1, 0) ? KP_RV_NE : KP_RV_EQ;
		insn->offset = short_branch_offset(word);
		break;
	}
}

static void decode_long(struct kp_rv_insn *insn, uint32_t word)
{
	switch (insn->class) {
	case KP_RV_JAL:
		insn->rd = reg(word, 7);
		insn->offset = jal_offset(word);
		break;
	case KP_RV_JALR:
		insn->rd = reg(word, 7);
		insn->rs1 = reg(word, 15);
		insn->offset = extend(word >> 20, 11);
		break;
	case KP_RV_BRANCH:
		insn->rs1 = reg(word, 15);
		insn->rs2 = reg(word, 20);
		insn->cond = (uint8_t)part(word, 12, 3, 0);
		insn->offset = branch_offset(word);
		break;
	case KP_RV_AUIPC:
		insn->rd = reg(word, 7);
		insn->offset = extend(word & 0xFFFFF000, 31);
		break;
	case KP_RV_CSR:
		insn->csr = (uint16_t)(word >> 20);
		break;
	}
}

unsigned int kp_rv_length(uint16_t half)
{
	if ((half & 0x03) != 0x03)
		return 2;
	if ((half & 0x1F) != 0x1F)
		return 4;
	if ((half & 0x3F) != 0x3F)
		return 6;
	return (half & 0x7F) == 0x3F ? 8 : 0;
}

void kp_rv_decode(struct kp_rv_insn *insn, uint32_t word)
{
	unsigned int len = kp_rv_length((uint16_t)word);
	const struct row *row;

	if (len == 2)
		word &= 0xFFFF;
	*insn = (struct kp_rv_insn) {
		.word = word, .class = KP_RV_UNALLOCATED, .len = (uint8_t)len,
		.rd = KP_RV_NO_REG, .rs1 = KP_RV_NO_REG, .rs2 = KP_RV_NO_REG,
	};
	row = find_row(word);
	if (!row)
		return;
	insn->class = row->class;
	insn->flags = (uint8_t)row->flags;
	if (len == 2)
		decode_short(insn, word);
	else
		decode_long(insn, word);
}
