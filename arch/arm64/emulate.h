/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reads or writes the PC, away from its place: computed on saved registers, or
 * replaced by a word that does the same anywhere once one register is prepared.
 *
 * Pure: nothing is read but the arguments, and memory through the caller's function.
 */
#ifndef KP_ARCH_ARM64_EMULATE_H
#define KP_ARCH_ARM64_EMULATE_H

#include "insn.h"

/* As struct user_pt_regs of Linux, and what its struct pt_regs begins with. */
struct kp_a64_regs {
	uint64_t regs[31];
	uint64_t sp, pc, pstate;
} __attribute__((__may_alias__));

/* A register of those words in which 31 is the zero register, which forgets. */
static inline __attribute__((__always_inline__)) uint64_t
kp_a64_reg(const struct kp_a64_regs *regs, unsigned int nr)
{
	return nr == KP_A64_SP_OR_ZR ? 0 : regs->regs[nr];
}

static inline __attribute__((__always_inline__)) void
kp_a64_set_reg(struct kp_a64_regs *regs, unsigned int nr, uint64_t value)
{
	if (nr != KP_A64_SP_OR_ZR)
		regs->regs[nr] = value;
}

/* kp_a64_regs.pstate */
#define KP_A64_PSTATE_N (1ull << 31)
#define KP_A64_PSTATE_Z (1ull << 30)
#define KP_A64_PSTATE_C (1ull << 29)
#define KP_A64_PSTATE_V (1ull << 28)
#define KP_A64_PSTATE_BTYPE (3ull << 10)	/* how the PC came here: see kp_a64_may_land */

/* PSTATE.BTYPE, after the instruction before. */
enum kp_a64_btype {
	KP_A64_BTYPE_NONE,	/* no indirect branch */
	KP_A64_BTYPE_JUMP_16,	/* br x16, br x17, or a br in a page that is not guarded */
	KP_A64_BTYPE_CALL,	/* blr */
	KP_A64_BTYPE_JUMP,	/* br of another register, in a guarded page */
};

/* Reads @len bytes at @addr: 0, or what kp_a64_emulate() is to answer. */
typedef int kp_a64_read(uintptr_t addr, void *dst, size_t len);

/*
 * Do what @insn does at @addr, to @regs; regs->pc is not read.  @guarded: its page is
 * guarded (BTI).  0; -EOPNOTSUPP: this one is replaced or copied, or refused;
 * otherwise what @read answered.  On error @regs are as they were.
 */
int kp_a64_emulate(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_regs *regs,
		   bool guarded, kp_a64_read *read);

/*
 * What @insn, BR, BLR or RET at @addr, does once it is known that it leads to @target:
 * for those whose address is signed.
 */
void kp_a64_branch(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_regs *regs,
		   uint64_t target, bool guarded);

/* A word for another place. */
struct kp_a64_moved {
	uint32_t word;
	uint8_t reg;		/* holds value before the word is executed, or KP_A64_NO_REG */
	bool restore;		/* ... and what it held before, afterwards; else that is its result */
	uint64_t value;
};

/*
 * What does the same as @insn at @addr, wherever it is executed, on a page that is
 * not guarded: the word itself where it does not read the PC.  -EOPNOTSUPP: none is
 * known, *@reason says why.  Exceptions, exclusives, MOPS and transactions come out as
 * they are: that they are not to be moved is the caller's decision, by class.
 */
int kp_a64_move(const struct kp_a64_insn *insn, uint64_t addr, struct kp_a64_moved *moved,
		const char **reason);

/*
 * May a branch that left BTYPE @btype land on @insn in a guarded page?  With
 * SCTLR_ELx.BT set, as Linux has it: PACIASP takes calls, no jumps.
 */
bool kp_a64_may_land(const struct kp_a64_insn *insn, enum kp_a64_btype btype);

#endif
