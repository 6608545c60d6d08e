// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * insn_text.c - an instruction of A32 or Thumb as text.
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

/* Of each set one; 0: there is none. */
static csh handle_of(bool second)
{
	static csh handles[2];
	csh *handle = &handles[second];
	cs_mode mode = second ? CS_MODE_THUMB : CS_MODE_ARM;

	if (!*handle && cs_open(CS_ARCH_ARM, (cs_mode)(mode | CS_MODE_V8), handle))
		*handle = 0;
	return *handle;
}

bool insn_text(char *dst, size_t room, const uint8_t *bytes, size_t len,
	       uint64_t addr, bool second, uint64_t *target)
{
	csh handle = handle_of(second);
	struct kp_arm_insn decoded;
	cs_insn *insn = NULL;
	uint32_t word = 0;

	if (len != 2 && len != 4) {
		snprintf(dst, room, "(not known)");
		return false;
	}
	memcpy(&word, bytes, len);
	if (handle && cs_disasm(handle, bytes, len, addr, 1, &insn) == 1) {
		snprintf(dst, room, "%s%s%s", insn->mnemonic,
			 insn->op_str[0] ? " " : "", insn->op_str);
		cs_free(insn, 1);
	} else {
		snprintf(dst, room, ".inst 0x%0*" PRIx32, (int)len * 2, word);
	}
	kp_arm_decode(&decoded, word, second);
	if (!decoded.relative)
		return false;
	*target = kp_arm_operand(&decoded, (uint32_t)addr);
	return true;
}
