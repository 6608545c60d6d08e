// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * insn_text.c - an x86 instruction as text, in AT&T's syntax.
 *
 * Owns: the use of Zydis.
 */
#include "insn_text.h"

#include <stdio.h>
#include <Zydis/Zydis.h>

/* What an operand leads to, or lies at. */
static bool target_of(const ZydisDecodedInstruction *insn,
		      const ZydisDecodedOperand *operands, uint64_t addr,
		      uint64_t *target)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < insn->operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &operands[i];
		bool relative = op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ?
			op->imm.is_relative :
			op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			op->mem.base == ZYDIS_REGISTER_RIP;
		ZyanU64 to;

		if (relative && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(
					insn, op, addr, &to))) {
			*target = to;
			found = true;
		}
	}
	return found;
}

static void set_up(ZydisDecoder *decoder, ZydisFormatter *formatter)
{
	bool wide = sizeof(void *) == 8;	/* as the program's, so is the command's */

	ZydisDecoderInit(decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(formatter,
		ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(formatter,
		ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
		ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(formatter,
		ZYDIS_FORMATTER_PROP_IMM_PADDING,
		ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(formatter,
		ZYDIS_FORMATTER_PROP_DISP_PADDING,
		ZYDIS_PADDING_DISABLED);
}

bool insn_text(char *dst, size_t room, const uint8_t *bytes, size_t len,
	       uint64_t addr, bool second, uint64_t *target)
{
	static ZydisDecoder decoder;
	static ZydisFormatter formatter;
	static bool ready;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;

	(void)second;
	if (!ready)
		set_up(&decoder, &formatter);
	ready = true;
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, len, &insn,
					       operands)) ||
	    ZYAN_FAILED(ZydisFormatterFormatInstruction(&formatter, &insn,
			operands, insn.operand_count_visible, dst, room, addr,
			NULL))) {
		snprintf(dst, room, "(not known)");
		return false;
	}
	return target_of(&insn, operands, addr, target);
}
