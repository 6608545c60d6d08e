/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * one_set.h - a stopped thread's instructions, where there is one set of them.
 *
 * Owns: what tracee_words.h and restart.c ask of them; arm's tracee.h has its own answers.
 */
#ifndef KP_CLI_ONE_SET_H
#define KP_CLI_ONE_SET_H

/* A system call's has so many bytes. */
static inline unsigned int tracee_call_len(const struct tracee_regs *regs)
{
	(void)regs;
	return 4;
}

static inline bool tracee_is_call(const struct tracee_regs *regs, uint32_t insn)
{
	(void)regs;
	return insn == TRACEE_CALL;
}

/* Is what stands at its IP a breakpoint? */
static inline bool tracee_is_breakpoint(const struct tracee_regs *regs, uint32_t insn)
{
	(void)regs;
	return (insn & TRACEE_BREAKPOINT_MASK) == TRACEE_BREAKPOINT;
}

/* Does a signal say that it has met one?  MIPS' kernel does not say where. */
#ifndef TRACEE_HIT_NOWHERE
#define TRACEE_HIT_NOWHERE 0
#endif
static inline bool tracee_is_hit(const struct tracee_regs *regs, const siginfo_t *info)
{
	return info->si_code == TRAP_BRKPT &&
	       (TRACEE_HIT_NOWHERE || (uint64_t)(uintptr_t)info->si_addr == tracee_ip(regs));
}

/* What code is to be gone on at by its address alone. */
static inline void tracee_set_code(struct tracee_regs *regs, uint64_t ip)
{
	tracee_set_ip(regs, ip);
}

#endif
