/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * excuses.c - where an oracle is wrong, word by word, with the manual's reason.
 *
 * Owns: the list.  A row excuses one oracle, on the words that it admits, and only
 * for saying the class that it names; whatever else is said there is a difference.
 * And each row must be needed.
 */
#include <stdio.h>

#include "insn.h"
#include "oracle.h"

/* What must be so besides the mask. */
enum also {
	ALWAYS,
	SAME_PAIR,	/* Rt is Rt2, or the base that is written back */
	SAME_BASE,	/* Rt is the base that is written back */
	MOPS_OVERLAP,	/* two of Rd, Rs, Rn are one, or one of them is 31 */
	ODD_OR_HIGH,	/* Rt is odd, or above 23 */
};

static const struct {
	enum oracle oracle;
	uint32_t mask, value;
	uint8_t class;		/* what the oracle says, and should not */
	enum also also;
	const char *reason;
} excuses[] = {
	/* What is UNPREDICTABLE within limits is allocated: processors may do it. */
	{ ORACLE_LLVM, 0x3A000000, 0x28000000, KP_A64_UNALLOCATED, SAME_PAIR,
	  "pairs: t == t2, or write-back to one of them, is CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_OBJDUMP, 0xFE400000, 0x68400000, KP_A64_UNALLOCATED, SAME_PAIR,
	  "ldpsw: the same" },
	{ ORACLE_LLVM, 0x3B200400, 0x38000400, KP_A64_UNALLOCATED, SAME_BASE,
	  "write-back to the register that is moved is CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_LLVM, 0xFF200C00, 0xF8200C00, KP_A64_UNALLOCATED, SAME_BASE, "ldraa, ldrab: the same" },
	{ ORACLE_LLVM, 0x3B200C00, 0x38000800, KP_A64_UNALLOCATED, SAME_BASE,
	  "ldtr, sttr: write nothing back" },
	{ ORACLE_LLVM, 0xBFE00000, 0x88600000, KP_A64_UNALLOCATED, SAME_PAIR,
	  "ldxp, ldaxp: t == t2 is CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_LLVM, 0xFFFFF01F, 0xD500401F, KP_A64_UNALLOCATED, ALWAYS,
	  "cfinv, xaflag, axflag: CRm should be zero" },
	{ ORACLE_LLVM, 0xFB200C00, 0x19000400, KP_A64_UNALLOCATED, MOPS_OVERLAP,
	  "cpy, set: overlapping registers are CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_OBJDUMP, 0xFB200C00, 0x19000400, KP_A64_UNALLOCATED, MOPS_OVERLAP,
	  "cpy, set: the same" },
	{ ORACLE_OBJDUMP, 0x3F800000, 0x08000000, KP_A64_LOAD_EXCLUSIVE, ALWAYS,
	  "ldxr: Rs and Rt2 should be ones" },
	{ ORACLE_OBJDUMP, 0x3FA00000, 0x08800000, KP_A64_PLAIN, ALWAYS,
	  "ldar, stlr, ldlar, stllr: Rs and Rt2 should be ones" },

	/* What it does not know, or knows too much of. */
	{ ORACLE_LLVM, 0x7FF00000, 0x11C00000, KP_A64_UNALLOCATED, ALWAYS, "has no CSSC: smax of an immediate ..." },
	{ ORACLE_LLVM, 0x7FE0F000, 0x1AC06000, KP_A64_UNALLOCATED, ALWAYS, "... smax" },
	{ ORACLE_LLVM, 0x7FFFF800, 0x5AC01800, KP_A64_UNALLOCATED, ALWAYS, "... ctz cnt" },
	{ ORACLE_LLVM, 0x7FFFFC00, 0x5AC02000, KP_A64_UNALLOCATED, ALWAYS, "... abs" },
	{ ORACLE_LLVM, 0xFFF00000, 0xD5000000, KP_A64_WRITE_SYSREG, ALWAYS,
	  "registers have op0 2 or 3; below are PSTATE, hints and barriers, or nothing" },
	{ ORACLE_OBJDUMP, 0xFFF00000, 0xD5000000, KP_A64_WRITE_SYSREG, ALWAYS, "the same" },
	{ ORACLE_LLVM, 0xFFF00000, 0xD5200000, KP_A64_READ_SYSREG, ALWAYS, "the same" },
	{ ORACLE_OBJDUMP, 0xFFF00000, 0xD5200000, KP_A64_READ_SYSREG, ALWAYS, "the same" },
	{ ORACLE_OBJDUMP, 0xBF60FC00, 0x0E60EC00, KP_A64_PLAIN, ALWAYS,
	  "fmlal, fmlsl: bit 22 is zero" },
	{ ORACLE_OBJDUMP, 0xBF60FC00, 0x2E60CC00, KP_A64_PLAIN, ALWAYS, "fmlal2, fmlsl2: the same" },
	{ ORACLE_OBJDUMP, 0xFFFFFFE0, 0x2538FFE0, KP_A64_PLAIN, ALWAYS,
	  "dup of an immediate: a byte cannot be shifted, not even 255" },
	{ ORACLE_OBJDUMP, 0xFFF0BFE0, 0x05103FE0, KP_A64_PLAIN, ALWAYS, "cpy: the same" },
	{ ORACLE_OBJDUMP, 0xFF20C200, 0x25204200, KP_A64_PLAIN, ALWAYS, "psel: bit 9 is zero" },
	{ ORACLE_OBJDUMP, 0xFF20C010, 0x25204010, KP_A64_PLAIN, ALWAYS, "psel: bit 4 is zero" },
	{ ORACLE_OBJDUMP, 0xFFBD0000, 0xC0010000, KP_A64_PLAIN, ALWAYS,
	  "mova: of the sizes only 11 has quadwords" },
	{ ORACLE_OBJDUMP, 0xFF7D0000, 0xC0010000, KP_A64_PLAIN, ALWAYS, "mova: the same" },
	{ ORACLE_OBJDUMP, 0xFFE08C00, 0xF8208000, KP_A64_PLAIN, ODD_OR_HIGH,
	  "ld64b, st64b*: an odd register, or one above 22, is UNDEFINED" },
};

static bool is_so(enum also also, uint32_t word)
{
	uint32_t t = word & 31, n = word >> 5 & 31, a = word >> 10 & 31, s = word >> 16 & 31;
	bool writes_back = word & 0x00800000;

	switch (also) {
	case SAME_PAIR:
		return t == a || (writes_back && n != 31 && (n == t || n == a));
	case SAME_BASE:
		return n == t && n != 31;
	case MOPS_OVERLAP:
		return t == s || t == n || s == n || t == 31 || s == 31 || n == 31;
	case ODD_OR_HIGH:
		return t & 1 || t > 23;
	default:
		return true;
	}
}

#define EXCUSES (sizeof(excuses) / sizeof(excuses[0]))

static size_t used[EXCUSES];

bool oracle_excuse(enum oracle oracle, uint32_t word, uint8_t class)
{
	size_t i;

	for (i = 0; i < EXCUSES; i++) {
		if (excuses[i].oracle == oracle && excuses[i].class == class &&
		    (word & excuses[i].mask) == excuses[i].value &&
		    is_so(excuses[i].also, word)) {
			used[i]++;
			return true;
		}
	}
	return false;
}

bool oracle_excused_word(size_t row, uint32_t any, uint32_t *word)
{
	if (row >= EXCUSES)
		return false;
	*word = (any & ~excuses[row].mask) | excuses[row].value;
	return true;
}

size_t oracle_unused_excuses(void)
{
	size_t i, unused = 0;

	for (i = 0; i < EXCUSES; i++) {
		if (used[i])
			continue;
		printf("# %08x needs no excuse: %s\n", excuses[i].value, excuses[i].reason);
		unused++;
	}
	return unused;
}
