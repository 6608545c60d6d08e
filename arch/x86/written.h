/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * written.h - what store.c, which writes, and written.c, which says where, both need.
 *
 * Owns: how much of a vector register is written to memory (0: nothing is, or it is not
 * known how much; *from: where in the register it begins), and the operand's place.
 */
#ifndef KP_X86_WRITTEN_H
#define KP_X86_WRITTEN_H

#include "probe.h"
#include "insn.h"

/* Where the instruction at addr names the memory of len bytes that it writes. */
void kp_x86_write_place(struct kp_arch_write *out, const struct kp_insn *insn,
			uintptr_t addr, unsigned int len);

static inline unsigned int kp_x86_moved_0f(const struct kp_insn *insn,
					   unsigned int *from)
{
	bool legacy = kp_insn_is_legacy(insn);
	unsigned int all = legacy ? 16 : 16u << insn->vex_l;
	bool single = insn->pp == KP_INSN_PP_F3, is_double =
		insn->pp == KP_INSN_PP_F2, narrow = insn->pp == KP_INSN_PP_66;

	switch (insn->opcode) {
	case 0x11:
		return single ? 4 : is_double ? 8 : all;
	case 0x13:
		return 8;
	case 0x17:
		*from = 8;
		return 8;
	case 0x29: case 0x2b:
		return single || is_double ? 0 : all;
	case 0x7e:
		return !narrow ? 0 : insn->w ? 8 : 4;
	case 0x7f:
		/* Without a prefix: mmx. */
		return insn->pp == KP_INSN_PP_NONE ? 0 : all;
	case 0xd6:
		return narrow ? 8 : 0;
	case 0xe7:
		return narrow ? all : 0;
	}
	return 0;
}

static inline unsigned int kp_x86_moved_0f3a(const struct kp_insn *insn,
					     unsigned int *from)
{
	unsigned int i = (unsigned int)insn->imm.value;

	switch (insn->opcode) {
	case 0x14:
		*from = i & 15;
		return 1;
	case 0x15:
		*from = 2 * (i & 7);
		return 2;
	case 0x16:
		*from = insn->w ? 8 * (i & 1) : 4 * (i & 3);
		return insn->w ? 8 : 4;
	case 0x17:
		*from = 4 * (i & 3);
		return 4;
	case 0x19: case 0x39:
		*from = 16 * (i & (insn->vex_l == 2 ? 3 : 1));
		return kp_insn_is_legacy(insn) ? 0 : 16;
	}
	return 0;
}

#endif
