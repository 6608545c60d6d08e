/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.c - instructions that cannot carry a probe.
 *
 * Owns: the refusals, each with its errno and the reason in one sentence.
 * Invariant: an instruction that passes means the same when it is executed somewhere else,
 * or is emulated, and when a trap comes just before it.
 */
#include "refuse.h"

#define ECALL 0x00000073u
#define EBREAK 0x00100073u
#define C_EBREAK 0x9002u

static const struct {
	int err;
	const char *reason;
} by_class[KP_RV_CSR + 1] = {
	[KP_RV_UNALLOCATED] = { -EINVAL,
		"it is not an instruction that is known" },
	[KP_RV_LOAD_RESERVED] = { -EOPNOTSUPP,
		"a trap takes the reservation away that it makes" },
	[KP_RV_STORE_CONDITIONAL] = { -EOPNOTSUPP,
		"a trap takes the reservation away that it needs" },
	[KP_RV_RETURN] = { -EOPNOTSUPP,
		"it leaves the context whose registers were saved" },
	[KP_RV_WAIT] = { -EOPNOTSUPP,
		"a trap may take the interrupt away that it waits for" },
};

KP_TRAP_PATH bool kp_rv_is_breakpoint(uint32_t word)
{
	return word == EBREAK || word == C_EBREAK;
}

static int refuse_exception(const struct kp_rv_insn *insn, bool user, const char **reason)
{
	if (kp_rv_is_breakpoint(insn->word)) {
		*reason = "somebody else's breakpoint stands here";
		return -EINVAL;
	}
	if (insn->word != ECALL) {
		*reason = "the instruction is itself a trap";
		return -EILSEQ;
	}
	if (user)
		return 0;
	*reason = "the firmware may look at its address";
	return -EOPNOTSUPP;
}

/*
 * In kernel mode the registers of supervisors: a trap writes sepc, scause, stval and sstatus,
 * and relies on sscratch, stvec, satp.  In user mode it is a fault, in a slot too.  Those of
 * programs (fcsr, vl, time ...) no trap changes.
 */
static int refuse_csr(const struct kp_rv_insn *insn, bool user, const char **reason)
{
	if (user || !(insn->csr >> 8 & 3))
		return 0;
	*reason = "a trap changes the control register, or relies on it";
	return -EOPNOTSUPP;
}

int kp_rv_refuse(const struct kp_rv_insn *insn, bool user, const char **reason)
{
	if (insn->class == KP_RV_EXCEPTION)
		return refuse_exception(insn, user, reason);
	if (insn->class == KP_RV_CSR)
		return refuse_csr(insn, user, reason);
	if (by_class[insn->class].err)
		*reason = by_class[insn->class].reason;
	return by_class[insn->class].err;
}
