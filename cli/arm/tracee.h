/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on arm.
 *
 * Owns: with tracee_words.h the command's only knowledge of them and of the instruction
 * of a system call, of which either instruction set has its own: CPSR's T bit says in which
 * of them a thread is, its PC has no bit 0.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "remote.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The mailbox's and the kernel's own are of A32; and whatever number it holds. */
#define TRACEE_CALL 0xef000000u		/* svc #0 */
#define TRACEE_CALL_MASK 0xff000000u
#define TRACEE_RETURN 0xe3a070adu	/* mov r7, #173 */

/* At a call's entry another first argument may be given. */
#define TRACEE_FIRST_STAYS 0

#define TRACEE_ARG 0
#define TRACEE_NUMBER 7
#define TRACEE_HIDDEN 12		/* at a call's stops (shared/hidden_register/see_all.c) */
#define TRACEE_SP 13
#define TRACEE_LINK 14
#define TRACEE_PC 15
#define TRACEE_FLAGS 16			/* CPSR */
#define TRACEE_FIRST 17			/* what r0 was when a call began */

#define TRACEE_THUMB 0x20u
#define TRACEE_STATE 0x0600fe20u	/* Thumb, its blocks of conditions, byte order */

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	uint32_t x[18];			/* as ptrace gives them */
	uint32_t tls;
	int32_t number;
	int32_t call;
};

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_PC];
}

/* What a word in memory or a register is, taken for an address of code. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word & ~1ull;
}

/* Of the same set. */
static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->x[TRACEE_PC] = (uint32_t)ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_SP];
}

static inline void tracee_set_sp(struct tracee_regs *regs, uint64_t sp)
{
	regs->x[TRACEE_SP] = (uint32_t)sp;
}

/* Where the C library has what is the thread's. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->tls;
}

static inline void tracee_enter_call(struct tracee_regs *regs, long number)
{
	regs->number = regs->call = number;
}

/* To be in no call is enough. */
static inline void tracee_skip_call(struct tracee_regs *regs)
{
	(void)regs;
}

/* ---- both sets ---------------------------------------------------------------------- */

static inline bool tracee_is_thumb(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_FLAGS] & TRACEE_THUMB;
}

static inline unsigned int tracee_call_len(const struct tracee_regs *regs)
{
	return tracee_is_thumb(regs) ? 2 : 4;
}

static inline bool tracee_is_call(const struct tracee_regs *regs, uint32_t insn)
{
	return tracee_is_thumb(regs) ? (insn & 0xff00) == 0xdf00
				     : (insn & TRACEE_CALL_MASK) == TRACEE_CALL;
}

static inline bool tracee_is_breakpoint(const struct tracee_regs *regs, uint32_t insn)
{
	return tracee_is_thumb(regs) ? (insn & 0xffff) == 0xde01 || (insn & 0xffff) == 0xbe00
				     : insn == 0xe7f001f0;
}

/* Does a signal say that it has met one?  Of one in an IT block it names no address. */
static inline bool tracee_is_hit(const struct tracee_regs *regs, const siginfo_t *info)
{
	return (info->si_code == TRAP_BRKPT &&
		(uint64_t)(uintptr_t)info->si_addr == tracee_ip(regs)) ||
	       (info->si_code == TRAP_HWBKPT && tracee_is_thumb(regs));
}

/* Bit 0 says Thumb. */
static inline void tracee_set_code(struct tracee_regs *regs, uint64_t ip)
{
	regs->x[TRACEE_PC] = (uint32_t)ip & ~1u;
	regs->x[TRACEE_FLAGS] &= ~TRACEE_STATE;
	regs->x[TRACEE_FLAGS] |= ip & 1 ? TRACEE_THUMB : 0;
}

/* mov r7, #number, and movw, of either set? */
static inline bool tracee_sets_number(uint32_t insn, long number)
{
	uint32_t nr = (uint32_t)number;
	/* Of Thumb's the first half is the lower one. */
	uint32_t wide = 0xf240u | (0x0700u | (nr >> 8 & 7) << 12 | (nr & 0xff)) << 16;

	if (nr < 256 && ((insn & 0xffff) == (0x2700u | nr) || insn == (0xe3a07000u | nr)))
		return true;
	return nr < 2048 && (insn == (0xe3007000u | nr) || insn == wide);
}

#include "tracee_words.h"
#include "taken_back.h"

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->x[4] = (uint32_t)fn;
	regs->x[5] = (uint32_t)a;
	regs->x[6] = (uint32_t)b;
	regs->x[11] = 0;		/* no frame of a caller's */
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->x[8];
}

/* Nothing but what tracee_set_code() has set. */
static inline void tracee_settle(struct tracee_regs *regs)
{
	(void)regs;
}

/* At a call's entry not all may be seen of a thread: make it so.  0 or an errno. */
int tracee_see_all(struct thread *thread);

#endif
