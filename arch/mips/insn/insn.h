/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The MIPS instruction decoder: a word in, one struct kp_mips_insn out.
 *
 * It owns the knowledge of MIPS encodings and nothing else: it reads no memory, keeps no
 * state and is safe in any context.  Invariant: a word that the map does not have is
 * unallocated, never guessed.  What the map has says its head.
 */
#ifndef KP_ARCH_MIPS_INSN_H
#define KP_ARCH_MIPS_INSN_H

#include "env.h"

#define KP_MIPS_ZERO 0		/* reads as 0, and forgets */
#define KP_MIPS_SP 29
#define KP_MIPS_RA 31
#define KP_MIPS_NO_REG 0xFF

enum kp_mips_class {
	KP_MIPS_UNALLOCATED,
	KP_MIPS_PLAIN,		/* does the same at any address */

	/* These write the PC, once the word behind them is executed. */
	KP_MIPS_JUMP,		/* j jal jalx */
	KP_MIPS_JUMP_REG,	/* jr jalr */
	KP_MIPS_BRANCH,		/* beq bne blez bgtz bltz bgez, their likely and linking forms */
	KP_MIPS_BRANCH_COP,	/* as a coprocessor's condition says: bc1f bz.v bposge32 ... */

	/* And these at once. */
	KP_MIPS_COMPACT,	/* bc balc beqc bovc ... */
	KP_MIPS_COMPACT_REG,	/* jic jialc */

	/* These read it. */
	KP_MIPS_ADDRESS,	/* addiupc auipc aluipc */
	KP_MIPS_LOAD_RELATIVE,	/* lwpc lwupc ldpc */

	/* A link is held between these two: nothing may trap there. */
	KP_MIPS_LOAD_LINKED,
	KP_MIPS_STORE_CONDITIONAL,

	KP_MIPS_EXCEPTION,	/* syscall break sdbbp sigrie hypcall: comes back to where it stood */
	KP_MIPS_RETURN,		/* eret eretnc deret: writes PC and privilege */
	KP_MIPS_WAIT,
	KP_MIPS_SYSTEM,		/* coprocessor 0, caches by their number */
};

/* kp_mips_insn.flags; the first three are rows' alone. */
#define KP_MIPS_OLD 0x01
#define KP_MIPS_NEW 0x02
#define KP_MIPS_WIDE 0x04
#define KP_MIPS_LIKELY 0x08	/* the word behind a branch that is not taken is not executed */
#define KP_MIPS_LINK 0x10	/* rd becomes the address of what follows */
#define KP_MIPS_EXCHANGE 0x20	/* to another instruction set */

/* kp_mips_insn.cond: of the registers a and b, or of a alone. */
enum kp_mips_cond {
	KP_MIPS_ALWAYS, KP_MIPS_EQ, KP_MIPS_NE, KP_MIPS_GE, KP_MIPS_LT, KP_MIPS_GEU, KP_MIPS_LTU,
	KP_MIPS_OVERFLOW, KP_MIPS_NO_OVERFLOW,	/* of their sum in 32 bits */
	KP_MIPS_LEZ, KP_MIPS_GTZ, KP_MIPS_LTZ, KP_MIPS_GEZ,
};

struct kp_mips_insn {
	uint32_t word;
	uint8_t class;		/* enum kp_mips_class */
	uint8_t flags;
	uint8_t cond;		/* branches, compact ones: enum kp_mips_cond */
	uint8_t a, b;		/* their registers; jump_reg, compact_reg: a is where to */
	uint8_t rd;		/* what is written with the address of what follows, or by a class that reads the PC */
	int32_t offset;		/* relative ones: kp_mips_operand; jic, jialc: from a */
};

/* What the processor is: of release 6, of 64 bits. */
enum kp_mips_modes { KP_MIPS_RELEASE6 = 1, KP_MIPS_64 = 2 };

void kp_mips_decode(struct kp_mips_insn *insn, uint32_t word, unsigned int modes);

/* Is the word behind it executed before it goes anywhere? */
static inline bool kp_mips_has_slot(const struct kp_mips_insn *insn)
{
	return insn->class >= KP_MIPS_JUMP && insn->class <= KP_MIPS_BRANCH_COP;
}

/* Does it write the PC at once? */
static inline bool kp_mips_is_compact(const struct kp_mips_insn *insn)
{
	return insn->class == KP_MIPS_COMPACT || insn->class == KP_MIPS_COMPACT_REG;
}

/* Has it a pc-relative operand? */
static inline bool kp_mips_is_relative(const struct kp_mips_insn *insn)
{
	return insn->class == KP_MIPS_JUMP || insn->class == KP_MIPS_BRANCH ||
	       insn->class == KP_MIPS_BRANCH_COP || insn->class == KP_MIPS_COMPACT ||
	       insn->class == KP_MIPS_ADDRESS || insn->class == KP_MIPS_LOAD_RELATIVE;
}

/* The pc-relative operand of @insn at @addr. */
uint64_t kp_mips_operand(const struct kp_mips_insn *insn, uint64_t addr);

#endif
