// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * insn_text.c - an instruction as text, where instructions are words.
 *
 * Owns: the use of Capstone.  What it does not know and the engine's decoder does is
 * shown as a number.
 */
#include "insn_text.h"
#include "insn_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of each set one; 0: there is none. */
static csh handle_of(bool second)
{
	static csh handles[2];
	csh *handle = &handles[second];

	if (!*handle && cs_open(INSN_WORDS_ARCH, INSN_WORDS_MODE(second), handle))
		*handle = 0;
	return *handle;
}

bool insn_text(char *dst, size_t room, const uint8_t *bytes, size_t len,
	       uint64_t addr, bool second, uint64_t *target)
{
	csh handle = handle_of(second);
	cs_insn *insn = NULL;
	uint32_t word = 0;

	if (len != 4 && (len != 2 || !INSN_WORDS_SHORT)) {
		snprintf(dst, room, "(not known)");
		return false;
	}
	memcpy(&word, bytes, len);
	if (handle && cs_disasm(handle, bytes, len, addr, 1, &insn) == 1) {
		snprintf(dst, room, "%s%s%s", insn->mnemonic,
			 insn->op_str[0] ? " " : "", insn->op_str);
		cs_free(insn, 1);
	} else {
		snprintf(dst, room, INSN_WORDS_UNKNOWN " 0x%0*" PRIx32, (int)len * 2, word);
	}
	return insn_words_target(word, addr, second, target);
}
