/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * insn_words.h - instructions of MIPS, for shared/risc/insn_text.c.
 *
 * Owns: Capstone's name of the processor, the assembler's for an unknown instruction, and
 * what an instruction leads to.
 */
#ifndef KP_CLI_INSN_WORDS_H
#define KP_CLI_INSN_WORDS_H

#include "regs.h"

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#define INSN_WORDS_ARCH CS_ARCH_MIPS
#define INSN_WORDS_MODE(second) ((void)(second), (cs_mode)CS_MODE_MIPS64)
#define INSN_WORDS_SHORT 0		/* are there some of 2 bytes? */
#define INSN_WORDS_UNKNOWN ".word"

/* Is anything relative to the PC?  Then *target is that. */
static inline bool insn_words_target(uint32_t word, uint64_t addr, bool second, uint64_t *target)
{
	struct kp_mips_insn decoded;

	(void)second;
	kp_mips_decode(&decoded, word, KP_MIPS_HERE);
	if (!kp_mips_is_relative(&decoded))
		return false;
	*target = kp_mips_operand(&decoded, addr);
	return true;
}

#endif
