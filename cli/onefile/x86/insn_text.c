// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * insn_text.c - an x86 instruction as text, in AT&T's syntax, where the command is one file.
 *
 * Owns: the use of Capstone, of which Debian has an archive; of Zydis it has none.
 */
#include "insn_text.h"

#include <capstone/capstone.h>
#include <stdio.h>

/* What an operand leads to, or lies at. */
static bool target_of(csh handle, const cs_insn *insn, uint64_t *target)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool found = false;
	unsigned int i;

	for (i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_IMM && cs_insn_group(handle, insn, X86_GRP_BRANCH_RELATIVE))
			*target = (uint64_t)op->imm;
		else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP)
			*target = insn->address + insn->size + (uint64_t)op->mem.disp;
		else
			continue;
		found = true;
	}
	return found;
}

static bool set_up(csh *handle)
{
	/* As the program's, so is the command's. */
	const cs_mode mode = sizeof(void *) == 8 ? CS_MODE_64 : CS_MODE_32;

	return !cs_open(CS_ARCH_X86, mode, handle) &&
	       !cs_option(*handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) &&
	       !cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
}

bool insn_text(char *dst, size_t room, const uint8_t *bytes, size_t len,
	       uint64_t addr, bool second, uint64_t *target)
{
	static csh handle;
	cs_insn *insn = NULL;
	bool found = false;

	(void)second;
	if ((handle || set_up(&handle)) && cs_disasm(handle, bytes, len, addr, 1, &insn) == 1) {
		snprintf(dst, room, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "",
			 insn->op_str);
		found = target_of(handle, insn, target);
		cs_free(insn, 1);
	} else {
		snprintf(dst, room, "(not known)");
	}
	return found;
}
