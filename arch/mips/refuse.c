/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.c - instructions that cannot carry a probe.
 *
 * Owns: the refusals, each with its errno and the reason in one sentence.
 * Invariant: an instruction that passes means the same when it is executed somewhere else,
 * or is emulated, with the word in its delay slot, and when a trap comes just before it.
 */
#include "refuse.h"

#define BREAK 0x0000000du
#define SYSCALL 0x0000000cu
#define BREAK_MASK 0xfc00003fu
#define BREAK_OVERFLOW 6u
#define BREAK_DIVIDE 7u

static const struct {
	int err;
	const char *reason;
} by_class[KP_MIPS_SYSTEM + 1] = {
	[KP_MIPS_UNALLOCATED] = { -EINVAL,
		"it is not an instruction that is known" },
	[KP_MIPS_LOAD_LINKED] = { -EOPNOTSUPP,
		"a trap takes the link away that it makes" },
	[KP_MIPS_STORE_CONDITIONAL] = { -EOPNOTSUPP,
		"a trap takes the link away that it needs" },
	[KP_MIPS_RETURN] = { -EOPNOTSUPP,
		"it leaves the context whose registers were saved" },
	[KP_MIPS_WAIT] = { -EOPNOTSUPP,
		"a trap may take the interrupt away that it waits for" },
};

/* Its code may stand in either half of the field, as assemblers have it. */
KP_TRAP_PATH bool kp_mips_is_breakpoint(uint32_t word)
{
	uint32_t low = word >> 6 & 0x3ff, code = word >> 16 & 0x3ff;

	code = code ? code : low;
	return (word & BREAK_MASK) == BREAK && code != BREAK_OVERFLOW && code != BREAK_DIVIDE;
}

static int refuse_exception(const struct kp_mips_insn *insn, bool user, const char **reason)
{
	if (kp_mips_is_breakpoint(insn->word)) {
		*reason = "somebody else's breakpoint stands here";
		return -EINVAL;
	}
	if (user && (insn->word & BREAK_MASK) == SYSCALL)
		return 0;
	*reason = "the instruction is itself a trap";
	return -EILSEQ;
}

/* What the manual calls unpredictable; a slot writes the link before it branches. */
static bool is_confused(const struct kp_mips_insn *insn)
{
	return insn->flags & KP_MIPS_LINK && insn->rd != KP_MIPS_ZERO &&
	       (insn->class == KP_MIPS_JUMP_REG || insn->class == KP_MIPS_BRANCH) &&
	       insn->a == insn->rd;
}

int kp_mips_refuse(const struct kp_mips_insn *insn, bool user, const char **reason)
{
	if (insn->class == KP_MIPS_EXCEPTION)
		return refuse_exception(insn, user, reason);
	/* In user mode it is a trap, in a slot too. */
	if (insn->class == KP_MIPS_SYSTEM && !user) {
		*reason = "a trap changes the control register, or relies on it";
		return -EOPNOTSUPP;
	}
	if (insn->flags & KP_MIPS_EXCHANGE) {
		*reason = "it goes on in another instruction set";
		return -EOPNOTSUPP;
	}
	if (is_confused(insn)) {
		*reason = "it writes the register that it goes by";
		return -EOPNOTSUPP;
	}
	if (by_class[insn->class].err)
		*reason = by_class[insn->class].reason;
	return by_class[insn->class].err;
}

/* Results are written to rt, or to rd. */
static bool may_write(uint32_t word, unsigned int reg)
{
	return reg != KP_MIPS_ZERO && ((word >> 16 & 31) == reg || (word >> 11 & 31) == reg);
}

int kp_mips_refuse_delayed(const struct kp_mips_insn *insn, uint32_t delayed,
			   unsigned int modes, const char **reason)
{
	struct kp_mips_insn behind;

	kp_mips_decode(&behind, delayed, modes);
	/* A branch there is unpredictable; a system call would come back to the branch. */
	if (behind.class != KP_MIPS_PLAIN) {
		*reason = "what is in its delay slot cannot be executed elsewhere";
		return -EOPNOTSUPP;
	}
	/* Where it goes to is known behind the slot by that register alone. */
	if (insn->class == KP_MIPS_JUMP_REG && may_write(delayed, insn->a)) {
		*reason = "what is in its delay slot may change the register that it goes by";
		return -EOPNOTSUPP;
	}
	return 0;
}
