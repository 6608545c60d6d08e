/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.c - instructions that cannot carry a probe.
 *
 * Owns: the refusals, each with its errno and the reason in one sentence.
 * Invariant: an instruction that passes means the same when it is executed
 * somewhere else, or is emulated, and when a trap comes just before it.
 */
#include "classify.h"

struct refusal {
	int err;
	const char *reason;
};

static const struct refusal by_class[KP_A64_TRANSACTION + 1] = {
	[KP_A64_UNALLOCATED] = { -EINVAL,
		"it is not an instruction that is known" },
	[KP_A64_LOAD_EXCLUSIVE] = { -EOPNOTSUPP,
		"a trap takes the reservation away that it makes" },
	[KP_A64_STORE_EXCLUSIVE] = { -EOPNOTSUPP,
		"a trap takes the reservation away that it needs" },
	[KP_A64_ERET] = { -EOPNOTSUPP,
		"eret leaves the context whose registers were saved" },
	[KP_A64_WAIT] = { -EOPNOTSUPP,
		"a trap may take the event away that it waits for" },
	[KP_A64_MOPS] = { -EOPNOTSUPP,
		"it counts on the instructions next to it" },
	[KP_A64_TRANSACTION] = { -EOPNOTSUPP,
		"a trap aborts a transaction" },
};

/* Kernel mode only: in user mode these fault, in the slot too, or do no harm. */
static const struct refusal by_class_kernel[KP_A64_TRANSACTION + 1] = {
	[KP_A64_PSTATE] = { -EOPNOTSUPP,
		"it changes the state that a trap relies on" },
	[KP_A64_WRITE_SYSREG] = { -EOPNOTSUPP,
		"a trap may rely on the system register" },
};

static bool is_svc(uint32_t word)
{
	return (word & 0xffe0001f) == 0xd4000001;
}

/* hvc #, smc # */
static bool calls_up(uint32_t word)
{
	return (word & 0xffe00000) == 0xd4000000 && !is_svc(word);
}

KP_TRAP_PATH bool kp_a64_is_breakpoint(uint32_t word)
{
	return (word & 0xffe0001f) == 0xd4200000;
}

static int refuse_exception(const struct kp_a64_insn *insn, bool user,
			    const char **reason)
{
	if (is_svc(insn->word) && user)
		return 0;
	if (kp_a64_is_breakpoint(insn->word)) {
		*reason = "somebody else's breakpoint stands here";
		return -EINVAL;
	}
	if (is_svc(insn->word))
		*reason = "a system call from kernel mode";
	else if (calls_up(insn->word))
		*reason = "a hypervisor or firmware may look at its address";
	else
		*reason = "the instruction is itself a trap";
	return is_svc(insn->word) || calls_up(insn->word) ? -EOPNOTSUPP : -EILSEQ;
}

/* Those that programs use: nzcv fpcr fpsr tpidr_el0. */
static bool is_harmless(const struct kp_a64_insn *insn)
{
	switch (insn->sysreg) {
	case 0xda10:
	case 0xda20:
	case 0xda21:
	case 0xde82:
		return true;
	}
	return false;
}

static int refuse_kernel(const struct kp_a64_insn *insn, const char **reason)
{
	const struct refusal *refusal = &by_class_kernel[insn->class];

	if (!refusal->err ||
	    (insn->class == KP_A64_WRITE_SYSREG && is_harmless(insn)))
		return 0;
	*reason = refusal->reason;
	return refusal->err;
}

int kp_a64_refuse(const struct kp_a64_insn *insn, bool user, const char **reason)
{
	const struct refusal *refusal = &by_class[insn->class];

	if (insn->class == KP_A64_EXCEPTION)
		return refuse_exception(insn, user, reason);
	if (refusal->err) {
		*reason = refusal->reason;
		return refusal->err;
	}
	return user ? 0 : refuse_kernel(insn, reason);
}
