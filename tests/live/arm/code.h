/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.h - arm's code, for tests that probe each instruction.
 *
 * Owns: a function of Thumb of which all instructions are known, where a function's code
 * begins, and how long any of its instructions is.
 */
#ifndef KP_LIVE_CODE_H
#define KP_LIVE_CODE_H

/* long counted(long a, long b): a + 2 * b. */
#define CODE_COUNTED						\
	".syntax unified; .thumb; .thumb_func\n"		\
	"counted: push {r4, lr}; lsls r1, r1, #1\n"		\
	"add.w r0, r0, r1; mov r4, r0\n"			\
	"mov r0, r4; pop {r4, pc}\n"				\
	".p2align 2; .arm\n"
#define CODE_COUNTED_AT { 0, 2, 4, 8, 10, 12 }

/* Of the function whose instructions are asked for. */
static bool code_thumb;
#define CODE_START(fn) \
	(code_thumb = (unsigned long)(fn) & 1, (const uint8_t *)((unsigned long)(fn) & ~1ul))

/* The bytes of the instruction there; 0: none. */
static inline size_t code_len(const uint8_t *code, size_t avail)
{
	size_t len = code_thumb && (avail < 2 || code[1] < 0xe8) ? 2 : 4;

	return len > avail ? 0 : len;
}

#endif
