/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lone.h - one instruction of the program's, executed by itself, in both modes of x86.
 *
 * Owns: how: where it is, by a single step.
 */
#ifndef KP_USER_LONE_H
#define KP_USER_LONE_H

#include "machine.h"
#include "watch/page_store.h"

struct kp_lone {
	uintptr_t ip;			/* of the instruction */
	bool traced;			/* the program steps itself */
	bool stored;			/* no conditional one, ever */
};

/* NONE: without room for that.  SHOWN: it is executed next.  DONE: uc is as after it. */
static inline enum kp_step kp_lone_begin(struct kp_lone *lone, ucontext_t *uc,
					 const uint8_t *insn)
{
	(void)insn;
	lone->ip = kp_uc_ip(uc);
	lone->traced = kp_uc_stepping(uc);
	uc->uc_mcontext.gregs[REG_EFL] |= KP_UC_TRAP_FLAG;
	return KP_STEP_SHOWN;
}

/* It is over, or has faulted. */
static inline void kp_lone_end(struct kp_lone *lone, ucontext_t *uc,
			       struct pt_regs *regs)
{
	if (lone->traced)
		return;
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)KP_UC_TRAP_FLAG;
	if (regs)
		regs->flags &= ~(unsigned long)KP_UC_TRAP_FLAG;
}

/* Where it is until its trap, in so many bytes. */
#define KP_LONE_LEN 1
static inline uintptr_t kp_lone_place(const struct kp_lone *lone)
{
	return lone->ip;
}

/* Has it gone on, though its trap may be lost? */
static inline bool kp_lone_passed(const struct kp_lone *lone, uintptr_t ip)
{
	return lone->ip != ip;
}

/* Is this breakpoint its end?  That is a step's trap. */
static inline bool kp_lone_ends_at(const struct kp_lone *lone, uintptr_t addr)
{
	(void)lone;
	(void)addr;
	return false;
}

/* Is there more to be executed so? */
static inline bool kp_lone_goes_on(struct kp_lone *lone, struct pt_regs *regs)
{
	(void)lone;
	(void)regs;
	return false;
}

/* What comes before it, too? */
static inline bool kp_lone_is_walk(const uint8_t *insn, bool second)
{
	(void)second;
	(void)insn;
	return false;
}

/* ---- patches --------------------------------------------------------------------------- */

#define KP_LONE_JUMP 0xe9
#define KP_LONE_JUMP_PREFIX 0x2e

/* Is it a probe's breakpoint or jump?  Such patches begin and end with their first byte. */
static inline bool kp_is_patch(const uint8_t *insn, size_t avail, bool second)
{
	size_t i = 0;

	(void)second;
	while (i < avail && insn[i] == KP_LONE_JUMP_PREFIX)
		i++;
	return i < avail && (insn[i] == kp_arch_bp[0] || insn[i] == KP_LONE_JUMP);
}

#endif
