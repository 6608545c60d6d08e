// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * insn_text.c - an arm64 instruction as text.
 *
 * Owns: the use of Capstone.  What it does not know and the engine's decoder does is
 * shown as a number.
 */
#include "insn_text.h"

#include "insn.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool insn_text(char *dst, size_t room, const uint8_t *bytes, size_t len,
	       uint64_t addr, bool second, uint64_t *target)
{
	static csh handle;
	struct kp_a64_insn decoded;
	cs_insn *insn = NULL;
	uint32_t word;

	(void)second;
	if (len != sizeof(word)) {
		snprintf(dst, room, "(not known)");
		return false;
	}
	memcpy(&word, bytes, sizeof(word));
	if (!handle && cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &handle))
		handle = 0;
	if (handle && cs_disasm(handle, bytes, len, addr, 1, &insn) == 1) {
		snprintf(dst, room, "%s%s%s", insn->mnemonic,
			 insn->op_str[0] ? " " : "", insn->op_str);
		cs_free(insn, 1);
	} else {
		snprintf(dst, room, ".inst 0x%08" PRIx32, word);
	}
	kp_a64_decode(&decoded, word);
	if (!kp_a64_is_relative(&decoded))
		return false;
	*target = kp_a64_operand(&decoded, addr);
	return true;
}
