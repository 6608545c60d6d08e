/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on arm64.
 *
 * Owns: with tracee_words.h the command's only knowledge of them and of the instruction
 * of a system call; each processor's folder has this file.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "remote.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACEE_CALL 0xd4000001u		/* svc #0 */
#define TRACEE_CALL_MASK ~0u
#define TRACEE_RETURN 0xd2801168u	/* mov x8, #139 */
#define TRACEE_BREAKPOINT 0xd4200000u
#define TRACEE_BREAKPOINT_MASK 0xffe0001fu

/* At a call's entry another first argument may be given. */
#define TRACEE_FIRST_STAYS 0

#define TRACEE_ARG 0
#define TRACEE_NUMBER 8
#define TRACEE_LINK 30
#define TRACEE_HIDDEN 7			/* at a call's stops (shared/hidden_register/see_all.c) */

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	uint64_t x[31], sp, pc, pstate;	/* as ptrace gives them */
	uint64_t tls;
	int64_t number;
	int64_t call;
};

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return regs->pc;
}

/* What a word in memory or a register is, taken for an address of code: unsigned. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word & ((1ull << 48) - 1);
}

static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->pc = ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return regs->sp;
}

static inline void tracee_set_sp(struct tracee_regs *regs, uint64_t sp)
{
	regs->sp = sp;
}

/* Where the C library has what is the thread's. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->tls;
}

/*
 * At the entry of another call, which has begun with the same x0: these are the
 * registers of one that begins.
 */
static inline void tracee_enter_call(struct tracee_regs *regs, long number)
{
	regs->number = regs->call = number;
}

/* To be in no call is enough. */
static inline void tracee_skip_call(struct tracee_regs *regs)
{
	(void)regs;
}

/* mov x8, #number, or of w8? */
static inline bool tracee_sets_number(uint32_t insn, long number)
{
	return (insn & 0x7fe0001f) == (0x52800000 | TRACEE_NUMBER) &&
	       (insn >> 5 & 0xffff) == number;
}

#include "one_set.h"
#include "tracee_words.h"
#include "taken_back.h"

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->x[19] = fn;
	regs->x[21] = regs->x[7];
	regs->x[29] = 0;
	regs->x[0] = a;
	regs->x[1] = b;
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->x[20];
}

/* Neither a single step nor a branch that must end on a landing pad. */
static inline void tracee_settle(struct tracee_regs *regs)
{
	regs->pstate &= ~(1ull << 21 | 3ull << 10);
}

/* At a call's entry not all may be seen of a thread: make it so.  0 or an errno. */
int tracee_see_all(struct thread *thread);

#endif
