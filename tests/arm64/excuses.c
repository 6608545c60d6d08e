/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * excuses.c - where an oracle is wrong about A64, with the manual's reason.
 *
 * Owns: the list.  A row excuses one oracle, on the words that it admits, and only
 * for saying the class that it names; whatever else is said there is a difference.
 * And each row must be needed.
 */
#include "excuses.h"
#include "insn.h"
#include "operands.h"

static bool writes_back_to(uint32_t word, uint32_t t)
{
	return KP_A64_RN(word) != 31 && KP_A64_RN(word) == t;
}

/* Rt is Rt2, or the base that is written back. */
static bool same_pair(uint32_t word)
{
	uint32_t t = KP_A64_RD(word), a = KP_A64_RA(word);

	return t == a || (word & 0x00800000 && (writes_back_to(word, t) || writes_back_to(word, a)));
}

/* Rt is the base that is written back. */
static bool same_base(uint32_t word)
{
	return writes_back_to(word, KP_A64_RD(word));
}

/* Two of Rd, Rs, Rn are one, or one of them is 31. */
static bool mops_overlap(uint32_t word)
{
	uint32_t d = KP_A64_RD(word), n = KP_A64_RN(word), s = KP_A64_RM(word);

	return d == s || d == n || s == n || d == 31 || s == 31 || n == 31;
}

/* Rt is odd, or above 23. */
static bool odd_or_high(uint32_t word)
{
	return KP_A64_RD(word) & 1 || KP_A64_RD(word) > 23;
}

const struct isa_excuse a64_excuses[] = {
	/* What is UNPREDICTABLE within limits is allocated: processors may do it. */
	{ ORACLE_LLVM, 0x3A000000, 0x28000000, KP_A64_UNALLOCATED, same_pair,
	  "pairs: t == t2, or write-back to one of them, is CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_OBJDUMP, 0xFE400000, 0x68400000, KP_A64_UNALLOCATED, same_pair,
	  "ldpsw: the same" },
	{ ORACLE_LLVM, 0x3B200400, 0x38000400, KP_A64_UNALLOCATED, same_base,
	  "write-back to the register that is moved is CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_LLVM, 0xFF200C00, 0xF8200C00, KP_A64_UNALLOCATED, same_base, "ldraa, ldrab: the same" },
	{ ORACLE_LLVM, 0x3B200C00, 0x38000800, KP_A64_UNALLOCATED, same_base,
	  "ldtr, sttr: write nothing back" },
	{ ORACLE_LLVM, 0xBFE00000, 0x88600000, KP_A64_UNALLOCATED, same_pair,
	  "ldxp, ldaxp: t == t2 is CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_LLVM, 0xFFFFF01F, 0xD500401F, KP_A64_UNALLOCATED, NULL,
	  "cfinv, xaflag, axflag: CRm should be zero" },
	{ ORACLE_LLVM, 0xFB200C00, 0x19000400, KP_A64_UNALLOCATED, mops_overlap,
	  "cpy, set: overlapping registers are CONSTRAINED UNPREDICTABLE" },
	{ ORACLE_OBJDUMP, 0xFB200C00, 0x19000400, KP_A64_UNALLOCATED, mops_overlap,
	  "cpy, set: the same" },
	{ ORACLE_OBJDUMP, 0x3F800000, 0x08000000, KP_A64_LOAD_EXCLUSIVE, NULL,
	  "ldxr: Rs and Rt2 should be ones" },
	{ ORACLE_OBJDUMP, 0x3FA00000, 0x08800000, KP_A64_PLAIN, NULL,
	  "ldar, stlr, ldlar, stllr: Rs and Rt2 should be ones" },

	/* What it does not know, or knows too much of. */
	{ ORACLE_LLVM, 0x7FF00000, 0x11C00000, KP_A64_UNALLOCATED, NULL, "has no CSSC: smax of an immediate ..." },
	{ ORACLE_LLVM, 0x7FE0F000, 0x1AC06000, KP_A64_UNALLOCATED, NULL, "... smax" },
	{ ORACLE_LLVM, 0x7FFFF800, 0x5AC01800, KP_A64_UNALLOCATED, NULL, "... ctz cnt" },
	{ ORACLE_LLVM, 0x7FFFFC00, 0x5AC02000, KP_A64_UNALLOCATED, NULL, "... abs" },
	{ ORACLE_LLVM, 0xFFF00000, 0xD5000000, KP_A64_WRITE_SYSREG, NULL,
	  "registers have op0 2 or 3; below are PSTATE, hints and barriers, or nothing" },
	{ ORACLE_OBJDUMP, 0xFFF00000, 0xD5000000, KP_A64_WRITE_SYSREG, NULL, "the same" },
	{ ORACLE_LLVM, 0xFFF00000, 0xD5200000, KP_A64_READ_SYSREG, NULL, "the same" },
	{ ORACLE_OBJDUMP, 0xFFF00000, 0xD5200000, KP_A64_READ_SYSREG, NULL, "the same" },
	{ ORACLE_OBJDUMP, 0xBF60FC00, 0x0E60EC00, KP_A64_PLAIN, NULL,
	  "fmlal, fmlsl: bit 22 is zero" },
	{ ORACLE_OBJDUMP, 0xBF60FC00, 0x2E60CC00, KP_A64_PLAIN, NULL, "fmlal2, fmlsl2: the same" },
	{ ORACLE_OBJDUMP, 0xFFFFFFE0, 0x2538FFE0, KP_A64_PLAIN, NULL,
	  "dup of an immediate: a byte cannot be shifted, not even 255" },
	{ ORACLE_OBJDUMP, 0xFFF0BFE0, 0x05103FE0, KP_A64_PLAIN, NULL, "cpy: the same" },
	{ ORACLE_OBJDUMP, 0xFF20C200, 0x25204200, KP_A64_PLAIN, NULL, "psel: bit 9 is zero" },
	{ ORACLE_OBJDUMP, 0xFF20C010, 0x25204010, KP_A64_PLAIN, NULL, "psel: bit 4 is zero" },
	{ ORACLE_OBJDUMP, 0xFFBD0000, 0xC0010000, KP_A64_PLAIN, NULL,
	  "mova: of the sizes only 11 has quadwords" },
	{ ORACLE_OBJDUMP, 0xFF7D0000, 0xC0010000, KP_A64_PLAIN, NULL, "mova: the same" },
	{ ORACLE_OBJDUMP, 0xFFE08C00, 0xF8208000, KP_A64_PLAIN, odd_or_high,
	  "ld64b, st64b*: an odd register, or one above 22, is UNDEFINED" },
	{ .reason = NULL },
};
