/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse.c - instructions that cannot carry a probe.
 *
 * Owns: the refusals, each with its errno and the reason in one sentence.
 * Invariant: an instruction that passes means the same when it is executed somewhere else,
 * or is emulated, and when a trap comes just before it.
 */
#include "refuse.h"
#include "emulate.h"

static const struct {
	int err;
	const char *reason;
} by_class[KP_ARM_IT + 1] = {
	[KP_ARM_UNALLOCATED] = { -EINVAL,
		"it is not an instruction that is known" },
	[KP_ARM_BXJ] = { -EOPNOTSUPP,
		"where it goes, and in which state, the processor alone knows" },
	[KP_ARM_LOAD_EXCLUSIVE] = { -EOPNOTSUPP,
		"a trap takes the reservation away that it makes" },
	[KP_ARM_STORE_EXCLUSIVE] = { -EOPNOTSUPP,
		"a trap takes the reservation away that it needs" },
	[KP_ARM_RETURN] = { -EOPNOTSUPP,
		"it leaves the context whose registers were saved" },
};

KP_TRAP_PATH static bool is_svc(const struct kp_arm_insn *insn)
{
	return insn->thumb ? insn->len == 2 && insn->word >> 8 == 0xdf : (insn->word >> 24 & 15) == 15;
}

/* hvc, smc */
KP_TRAP_PATH static bool calls_up(const struct kp_arm_insn *insn)
{
	if (insn->thumb)
		return insn->len == 4 && ((insn->word & 0xfff0f000) == 0xf7e08000 ||
					  (insn->word & 0xfff0f000) == 0xf7f08000);
	return (insn->word & 0x0fd000f0) == 0x01400070;
}

/* In kernels of A32 debuggers and Kprobes have numbers of their own. */
KP_TRAP_PATH static bool is_kernel_breakpoint(uint32_t word)
{
	return word == 0x07f001f8 || word == 0x07ffdefe;
}

/* bkpt, or of udf those numbers that Linux takes for breakpoints: 0x10 of A32, 1 and 0 of T32. */
KP_TRAP_PATH bool kp_arm_is_breakpoint(const struct kp_arm_insn *insn)
{
	if (insn->class != KP_ARM_EXCEPTION)
		return false;
	if (!insn->thumb)
		return (insn->word & 0x0fffffff) == (KP_ARM_A32_BP & 0x0fffffff) ||
		       is_kernel_breakpoint(insn->word & 0x0fffffff) ||
		       (insn->word & 0x0ff000f0) == 0x01200070;
	return insn->len == 2 ? insn->word >> 8 == KP_ARM_BLOCK_BP >> 8 || insn->word == KP_ARM_T32_BP :
				insn->word == 0xf7f0a000;
}

KP_TRAP_PATH bool kp_arm_is_trap(const struct kp_arm_insn *insn)
{
	return insn->class == KP_ARM_UNALLOCATED ||
	       (insn->class == KP_ARM_EXCEPTION && !is_svc(insn) && !calls_up(insn));
}

static int refuse_exception(const struct kp_arm_insn *insn, bool user, const char **reason)
{
	if (kp_arm_is_breakpoint(insn)) {
		*reason = "somebody else's breakpoint stands here";
		return -EINVAL;
	}
	if (is_svc(insn)) {
		*reason = "a system call from kernel mode";
		return user ? 0 : -EOPNOTSUPP;
	}
	*reason = calls_up(insn) ? "a hypervisor or firmware may look at its address" :
				   "the instruction is itself a trap";
	return calls_up(insn) ? -EOPNOTSUPP : -EILSEQ;
}

/* mrs, msr: of user mode they read or change flags alone.  Those of other modes' registers not. */
static bool is_status(const struct kp_arm_insn *insn)
{
	uint32_t word = insn->word;

	if (insn->thumb)
		return insn->len == 4 && !(word & 0x20) &&
		       ((word & 0xfff00000) == 0xf3800000 || (word & 0xfff00000) == 0xf3e00000);
	return word >> 28 != 15 &&
	       ((word & 0x0fd00200) == 0x01000000 || (word & 0x0ff00000) == 0x03200000);
}

static int refuse_state(const struct kp_arm_insn *insn, bool user, const char **reason)
{
	if (user && is_status(insn))
		return 0;
	*reason = "it changes the processor's state that a trap relies on, or takes it elsewhere";
	return -EOPNOTSUPP;
}

static int refuse_pc(const struct kp_arm_insn *insn, const char **reason)
{
	switch (insn->class) {
	case KP_ARM_DATA:
		*reason = "it returns from an exception: from the context whose registers were saved";
		break;
	case KP_ARM_COPRO:
		*reason = "its literal goes to registers that a trap does not save";
		break;
	default:
		*reason = "what is stored of the PC, processors do not agree upon";
	}
	return -EOPNOTSUPP;
}

int kp_arm_refuse(const struct kp_arm_insn *insn, bool user, const char **reason)
{
	switch (insn->class) {
	case KP_ARM_EXCEPTION:
		return refuse_exception(insn, user, reason);
	case KP_ARM_STATE:
		return refuse_state(insn, user, reason);
	case KP_ARM_WAIT:
		*reason = "a trap may take the event or interrupt away that it waits for";
		return user ? 0 : -EOPNOTSUPP;
	}
	if (by_class[insn->class].err) {
		*reason = by_class[insn->class].reason;
		return by_class[insn->class].err;
	}
	return insn->pc && !kp_arm_is_emulated(insn) ? refuse_pc(insn, reason) : 0;
}
