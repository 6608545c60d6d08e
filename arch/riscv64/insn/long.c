/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * long.c - the instructions of 4 bytes that those of 2 are short for.
 *
 * Owns: kp_rv_long, and where registers and numbers of both stand.  Rows of floating point,
 * and those whose class is not plain, are not here.
 */
#include "insn.h"

/* Opcodes of 4 bytes. */
#define LOAD 0x03u
#define OP_IMM 0x13u
#define OP_IMM_32 0x1bu
#define STORE 0x23u
#define OP 0x33u
#define LUI 0x37u
#define OP_32 0x3bu

/* @nr bits of @word from @low on, to where they stand in a number. */
static uint32_t part(uint32_t word, unsigned int low, unsigned int nr, unsigned int to)
{
	return (word >> low & ((1u << nr) - 1)) << to;
}

/* Of 5 bits; and one of x8 to x15. */
static uint32_t reg(uint32_t word, unsigned int low)
{
	return part(word, low, 5, 0);
}

static uint32_t short_reg(uint32_t word, unsigned int low)
{
	return 8 + part(word, low, 3, 0);
}

/* What stands above @sign repeats it. */
static uint32_t extend(uint32_t value, unsigned int sign)
{
	return value >> sign & 1 ? value | ~0u << sign : value;
}

/* rd, rs1, a number; one of shifts has what the shift is, too. */
static uint32_t numbered(uint32_t opcode, uint32_t what, uint32_t d, uint32_t s, uint32_t number)
{
	return number << 20 | s << 15 | what << 12 | d << 7 | opcode;
}

static uint32_t stored(uint32_t what, uint32_t t, uint32_t s, uint32_t number)
{
	return part(number, 5, 7, 25) | t << 20 | s << 15 | what << 12 | part(number, 0, 5, 7) | STORE;
}

/* rd, rs1, rs2; other: bit 30. */
static uint32_t computed(uint32_t opcode, uint32_t what, uint32_t other, uint32_t d, uint32_t s,
			 uint32_t t)
{
	return other << 30 | t << 20 | s << 15 | what << 12 | d << 7 | opcode;
}

/* Numbers by their places: a shift's 6 bits, the same with a sign, those of words and doublewords. */
static uint32_t shift(uint32_t word)
{
	return part(word, 12, 1, 5) | part(word, 2, 5, 0);
}

static uint32_t plain(uint32_t word)
{
	return extend(shift(word), 5);
}

static uint32_t of_words(uint32_t word)
{
	return part(word, 10, 3, 3) | part(word, 6, 1, 2) | part(word, 5, 1, 6);
}

static uint32_t of_doubles(uint32_t word)
{
	return part(word, 10, 3, 3) | part(word, 5, 2, 6);
}

/* Bits 0 and 1 are 0. */
static uint32_t long_of_first(uint32_t word)
{
	uint32_t low = short_reg(word, 2), high = short_reg(word, 7);

	switch (part(word, 13, 3, 0)) {
	case 0:		/* c.addi4spn */
		return numbered(OP_IMM, 0, low, KP_RV_SP,
				part(word, 11, 2, 4) | part(word, 7, 4, 6) | part(word, 6, 1, 2) |
				part(word, 5, 1, 3));
	case 2:		/* c.lw */
		return numbered(LOAD, 2, low, high, of_words(word));
	case 3:		/* c.ld */
		return numbered(LOAD, 3, low, high, of_doubles(word));
	case 6:		/* c.sw */
		return stored(2, low, high, of_words(word));
	case 7:		/* c.sd */
		return stored(3, low, high, of_doubles(word));
	}
	return 0;
}

/* Of bits 10 to 15: 100 and two more. */
static uint32_t long_of_computing(uint32_t word)
{
	static const uint8_t what[4] = { 0, 4, 6, 7 };		/* c.sub c.xor c.or c.and */
	uint32_t d = short_reg(word, 7), t = short_reg(word, 2), how = part(word, 5, 2, 0);

	switch (part(word, 10, 2, 0)) {
	case 0:		/* c.srli */
		return numbered(OP_IMM, 5, d, d, shift(word));
	case 1:		/* c.srai */
		return numbered(OP_IMM, 5, d, d, 0x400 | shift(word));
	case 2:		/* c.andi */
		return numbered(OP_IMM, 7, d, d, plain(word));
	}
	if (part(word, 12, 1, 0))	/* c.subw c.addw */
		return computed(OP_32, 0, !how, d, d, t);
	return computed(OP, what[how], !how, d, d, t);
}

/* Bit 0 is 1. */
static uint32_t long_of_second(uint32_t word)
{
	uint32_t d = reg(word, 7);

	switch (part(word, 13, 3, 0)) {
	case 0:		/* c.addi */
		return numbered(OP_IMM, 0, d, d, plain(word));
	case 1:		/* c.addiw */
		return numbered(OP_IMM_32, 0, d, d, plain(word));
	case 2:		/* c.li */
		return numbered(OP_IMM, 0, d, KP_RV_ZERO, plain(word));
	case 3:
		if (d != KP_RV_SP)	/* c.lui */
			return plain(word) << 12 | d << 7 | LUI;
		/* c.addi16sp */
		return numbered(OP_IMM, 0, d, d,
				extend(part(word, 12, 1, 9) | part(word, 6, 1, 4) | part(word, 5, 1, 6) |
				       part(word, 3, 2, 7) | part(word, 2, 1, 5), 9));
	case 4:
		return long_of_computing(word);
	}
	return 0;
}

/* Bit 1 is 1. */
static uint32_t long_of_third(uint32_t word)
{
	uint32_t d = reg(word, 7), t = reg(word, 2);

	switch (part(word, 13, 3, 0)) {
	case 0:		/* c.slli */
		return numbered(OP_IMM, 1, d, d, shift(word));
	case 2:		/* c.lwsp */
		return numbered(LOAD, 2, d, KP_RV_SP,
				part(word, 12, 1, 5) | part(word, 4, 3, 2) | part(word, 2, 2, 6));
	case 3:		/* c.ldsp */
		return numbered(LOAD, 3, d, KP_RV_SP,
				part(word, 12, 1, 5) | part(word, 5, 2, 3) | part(word, 2, 3, 6));
	case 4:		/* c.mv c.add */
		return computed(OP, 0, 0, d, part(word, 12, 1, 0) ? d : KP_RV_ZERO, t);
	case 6:		/* c.swsp */
		return stored(2, t, KP_RV_SP, part(word, 9, 4, 2) | part(word, 7, 2, 6));
	case 7:		/* c.sdsp */
		return stored(3, t, KP_RV_SP, part(word, 10, 3, 3) | part(word, 7, 3, 6));
	}
	return 0;
}

uint32_t kp_rv_long(const struct kp_rv_insn *insn)
{
	if (insn->len != 2)
		return insn->word;
	if (insn->class != KP_RV_PLAIN)
		return 0;
	switch (insn->word & 3) {
	case 0:
		return long_of_first(insn->word);
	case 1:
		return long_of_second(insn->word);
	default:
		return long_of_third(insn->word);
	}
}
