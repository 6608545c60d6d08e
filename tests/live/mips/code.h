/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code.h - MIPS's code, for tests that probe each instruction.
 *
 * Owns: a function of which all instructions are known, and how long any is.
 */
#ifndef KP_LIVE_CODE_H
#define KP_LIVE_CODE_H

/* long counted(long a, long b): a + 2 * b.  The last is in a delay slot. */
#define CODE_COUNTED						\
	".set push; .set noreorder\n"				\
	"counted: addiu $8, $0, 1; sllv $9, $5, $8; addu $2, $4, $9\n" \
	"move $3, $0; move $9, $0; jr $31; nop\n"				\
	".set pop\n"
#define CODE_COUNTED_AT { 0, 4, 8, 12, 16, 20 }

/* The bytes of the instruction there; 0: none. */
static inline size_t code_len(const uint8_t *code, size_t avail)
{
	(void)code;
	return avail < 4 ? 0 : 4;
}

#endif
