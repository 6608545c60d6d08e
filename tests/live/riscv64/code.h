/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.h - riscv64's code, for tests that probe each instruction.
 *
 * Owns: a function of which all instructions are known, and how long any is.
 */
#ifndef KP_LIVE_CODE_H
#define KP_LIVE_CODE_H

/* long counted(long a, long b): a + 2 * b. */
#define CODE_COUNTED						\
	".option push; .option norelax\n"			\
	"counted: c.addi sp, -16; c.sdsp ra, 8(sp)\n"		\
	".option norvc; sll a1, a1, 1; add a0, a0, a1; .option rvc\n" \
	"c.ldsp ra, 8(sp); c.addi sp, 16; c.jr ra\n"		\
	".option pop\n"
#define CODE_COUNTED_AT { 0, 2, 4, 8, 12, 14, 16 }

/* The bytes of the instruction there; 0: none. */
static inline size_t code_len(const uint8_t *code, size_t avail)
{
	size_t len;

	if (avail < 2)
		return 0;
	len = (code[0] & 3) != 3 ? 2 : (code[0] & 0x1f) != 0x1f ? 4 : 0;
	return len > avail ? 0 : len;
}

#endif
