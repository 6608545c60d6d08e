/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.h - arm64's code, for tests that probe each instruction.
 *
 * Owns: a function of which all instructions are known, and how long any is.
 */
#ifndef KP_LIVE_CODE_H
#define KP_LIVE_CODE_H

/* long counted(long a, long b): a + 2 * b. */
#define CODE_COUNTED						\
	"counted: stp x29, x30, [sp, #-16]!; mov x29, sp\n"		\
	"add x0, x0, x1, lsl #1; mov x1, #0\n"			\
	"ldp x29, x30, [sp], #16; ret\n"
#define CODE_COUNTED_AT { 0, 4, 8, 12, 16, 20 }

/* The bytes of the instruction there; 0: none. */
static inline size_t code_len(const uint8_t *code, size_t avail)
{
	(void)code;
	return avail < 4 ? 0 : 4;
}

#endif
