/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn.c - A64 words by class, with the fields that their class has.
 *
 * Owns: kp_a64_decode.  Which words there are says opcodes.map; here are the places
 * of fields in them, and no list of instructions.
 */
#include "insn.h"

#include "opcode_tables.h"

static uint32_t bits(uint32_t word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

/* The same as a signed number. */
static int64_t signed_bits(uint32_t word, unsigned int low, unsigned int nr)
{
	int64_t sign = 1ll << (nr - 1);

	return ((int64_t)bits(word, low, nr) ^ sign) - sign;
}

/* immhi:immlo of adr and adrp. */
static int64_t adr_offset(uint32_t word)
{
	return signed_bits(word, 5, 19) * 4 + (int64_t)bits(word, 29, 2);
}

static void decode_literal(struct kp_a64_insn *insn)
{
	uint32_t opc = bits(insn->word, 30, 2);

	insn->rt = (uint8_t)bits(insn->word, 0, 5);
	insn->offset = signed_bits(insn->word, 5, 19) * 4;
	if (insn->flags & KP_A64_VECTOR)
		insn->size = (uint8_t)(4u << opc);
	else if (!(insn->flags & KP_A64_PREFETCH))
		insn->size = opc == 1 ? 8 : 4;
}

static void decode_system(struct kp_a64_insn *insn)
{
	uint32_t word = insn->word;

	switch (insn->class) {
	case KP_A64_HINT:
		insn->number = (uint8_t)bits(word, 5, 7);
		break;
	case KP_A64_READ_SYSREG:
	case KP_A64_WRITE_SYSREG:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->sysreg = (uint16_t)bits(word, 5, 16);
		break;
	case KP_A64_SYS:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->sysreg = (uint16_t)bits(word, 5, 14);
		break;
	default:
		break;
	}
}

void kp_a64_decode(struct kp_a64_insn *insn, uint32_t word)
{
	const struct row *row = find_row(word);

	*insn = (struct kp_a64_insn) {
		.word = word, .class = KP_A64_UNALLOCATED,
		.rt = KP_A64_NO_REG, .rn = KP_A64_NO_REG,
		.rm = KP_A64_NO_REG, .rs = KP_A64_NO_REG,
	};
	if (!row)
		return;
	insn->class = row->class;
	insn->flags = row->flags;
	switch (insn->class) {
	case KP_A64_B:
	case KP_A64_BL:
		insn->offset = signed_bits(word, 0, 26) * 4;
		break;
	case KP_A64_BCOND:
		insn->cond = (uint8_t)bits(word, 0, 4);
		insn->offset = signed_bits(word, 5, 19) * 4;
		break;
	case KP_A64_CBZ:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->offset = signed_bits(word, 5, 19) * 4;
		break;
	case KP_A64_TBZ:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->bit = (uint8_t)(bits(word, 31, 1) << 5 | bits(word, 19, 5));
		insn->offset = signed_bits(word, 5, 14) * 4;
		break;
	case KP_A64_BR:
	case KP_A64_BLR:
	case KP_A64_RET:
		/* RETAA has no register of its own: it returns to LR. */
		insn->rn = (uint8_t)(insn->class == KP_A64_RET && (insn->flags & KP_A64_PAC) ?
				     KP_A64_LR : bits(word, 5, 5));
		if (insn->flags & KP_A64_MODIFIER)
			insn->rm = (uint8_t)bits(word, 0, 5);
		break;
	case KP_A64_ADR:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->offset = adr_offset(word);
		break;
	case KP_A64_ADRP:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->offset = adr_offset(word) * 4096;
		break;
	case KP_A64_LITERAL:
		decode_literal(insn);
		break;
	case KP_A64_LOAD_EXCLUSIVE:
	case KP_A64_STORE_EXCLUSIVE:
		insn->rt = (uint8_t)bits(word, 0, 5);
		insn->rn = (uint8_t)bits(word, 5, 5);
		if (insn->class == KP_A64_STORE_EXCLUSIVE)
			insn->rs = (uint8_t)bits(word, 16, 5);
		break;
	default:
		decode_system(insn);
	}
}
