/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * padding.c - padding between functions.
 *
 * Owns: telling padding from code: nops of any length, and breakpoints.
 */
#include "probe.h"
#include "insn/insn.h"
#include "jump.h"

static bool is_padding(const struct kp_insn *insn)
{
	if (insn->encoding != KP_INSN_LEGACY)
		return false;
	if (insn->map == KP_INSN_MAP_0F)	/* 0f 1f: nop with an operand */
		return insn->opcode == 0x1f;
	/* 90: but f3 90 is pause, 41 90 exchanges registers */
	return insn->map == KP_INSN_MAP_1BYTE &&
	       (insn->opcode == 0xcc ||
		(insn->opcode == 0x90 && !insn->b &&
		 !(insn->prefixes & KP_INSN_PFX_F3)));
}

size_t kp_arch_padding(const uint8_t *bytes, size_t avail)
{
	struct kp_insn insn;
	size_t len = 0;

	while (len < avail &&
	       !kp_insn_decode(&insn, bytes + len, avail - len, KP_X86_MODE) &&
	       is_padding(&insn))
		len += insn.length;
	return len;
}
