/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.h - i386's code, for tests that probe each instruction.
 *
 * Owns: a function of which all instructions are known, and how long any is.
 */
#ifndef KP_LIVE_CODE_H
#define KP_LIVE_CODE_H

#include "insn.h"

/* long counted(long a, long b): a + 2 * b. */
#define CODE_COUNTED						\
	"counted: mov 8(%esp), %eax; add %eax, %eax; push %ebp\n" \
	"add 8(%esp), %eax; pop %ebp; ret\n"
#define CODE_COUNTED_AT { 0, 4, 6, 7, 11, 12 }

/* The bytes of the instruction there; 0: none. */
static inline size_t code_len(const uint8_t *code, size_t avail)
{
	struct kp_insn insn;

	return kp_insn_decode(&insn, code, avail, KP_INSN_32) ? 0 : insn.length;
}

#endif
