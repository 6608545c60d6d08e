/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * number_reg.h - threads of riscv64 and MIPS: a call's number is in a register as any other
 * until it begins, of which all is seen, and there are no flags.
 *
 * Owns: those answers of tracee.h.
 */
#ifndef KP_CLI_NUMBER_REG_H
#define KP_CLI_NUMBER_REG_H

struct thread;

/*
 * At the entry of another call, which has begun with the same first argument: these are the
 * registers of one that begins.
 */
static inline void tracee_enter_call(struct tracee_regs *regs, long number)
{
	regs->number = regs->call = number;
	regs->x[TRACEE_NUMBER] = (uint64_t)number;
}

/* At the entry of a call another is made in its place, that changes nothing. */
static inline void tracee_skip_call(struct tracee_regs *regs)
{
	if (regs->number >= 0)
		regs->x[TRACEE_NUMBER] = SYS_gettid;
}

/* There are no flags. */
static inline void tracee_settle(struct tracee_regs *regs)
{
	(void)regs;
}

/* At a call's entry all is seen of a thread. */
static inline int tracee_see_all(struct thread *thread)
{
	(void)thread;
	return 0;
}

#endif
