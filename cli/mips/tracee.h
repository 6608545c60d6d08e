/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on MIPS.
 *
 * Owns: with tracee_words.h the command's only knowledge of them and of the instruction
 * of a system call.
 *
 * Its number and its result are in the same register; another tells whether the result is an
 * errno.  The kernel takes an interrupted call back when the thread goes on, and remembers for
 * that what its number was: tracee.c shows it as taken back already, and undoes that where
 * the thread is still to go on with it.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "abi.h"
#include "remote.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#define TRACEE_CALL 0x0000000cu		/* syscall */
#define TRACEE_CALL_MASK ~0u
#define TRACEE_RETURN ABI_LI_RETURN
#define TRACEE_BREAKPOINT 0x0000000du	/* break */
#define TRACEE_BREAKPOINT_MASK ~0u
#define TRACEE_HIT_NOWHERE 1

/*
 * At a call's entry another first argument may be given; but what stands on the stack has been
 * taken from there before.
 */
#define TRACEE_FIRST_STAYS !ABI_WIDE
#define TRACEE_REG_ARGS ABI_ARGS
#define TRACEE_STACK_ARGS ABI_STACK_ARGS

/* In x, whose first words are what the kernel remembers of a call; so is k0's. */
#define TRACEE_BEGAN 0			/* its number, if it has failed; or 0 */
#define TRACEE_NUMBER 2			/* v0 */
#define TRACEE_ARG 4			/* a0 */
#define TRACEE_ERROR 7			/* a3, an argument, too */
#define TRACEE_FOURTH 26		/* what a3 was when it began */
#define TRACEE_SP 29
#define TRACEE_LINK 31
#define TRACEE_PC 34

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	uint64_t x[38];			/* as ptrace gives them: r0 to r31, lo, hi, the PC ... */
	uint64_t tls;			/* ptrace gives a word */
	int64_t number;
	int64_t call;
	uint64_t why;			/* it was taken back, or is to be: which error; or 0 */
};

/* The kernel's; a program never sees it: begins anew, unless a signal's handler comes first. */
#define TRACEE_RESTARTNOHAND 514

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_PC];
}

/* What a word in memory or a register is, taken for an address of code. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word;
}

static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->x[TRACEE_PC] = ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_SP];
}

static inline void tracee_set_sp(struct tracee_regs *regs, uint64_t sp)
{
	regs->x[TRACEE_SP] = sp;
}

/* Where the C library has what is the thread's: the register points behind that. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->tls - 0x7000;
}

/* At a call's end. */
static inline long tracee_result(const struct tracee_regs *regs)
{
	return (long)(regs->x[TRACEE_ERROR] ? -regs->x[TRACEE_NUMBER] : regs->x[TRACEE_NUMBER]);
}

/* li v0, number? */
static inline bool tracee_sets_number(uint32_t insn, long number)
{
	return insn == (0x24020000u | (uint32_t)number);
}

#include "number_reg.h"
#include "one_set.h"
#include "tracee_words.h"

/* As the kernel does it: its registers are as they were when it began. */
static inline void tracee_take_call_back(struct tracee_regs *regs, uint64_t why)
{
	regs->why = why;
	regs->number = -1;
	regs->call = (int64_t)regs->x[TRACEE_BEGAN];
	regs->x[TRACEE_NUMBER] = regs->x[TRACEE_BEGAN];
	regs->x[TRACEE_ERROR] = regs->x[TRACEE_FOURTH];
	regs->x[TRACEE_PC] -= 4;
}

/* It has ended with an error; it begins anew. */
static inline void tracee_restart(struct tracee_regs *regs)
{
	tracee_take_call_back(regs, TRACEE_RESTARTNOHAND);
}

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->x[16] = a;		/* s0 */
	regs->x[17] = b;
	regs->x[18] = fn;
	regs->x[30] = 0;		/* no frame of a caller's */
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->x[19];		/* s3 */
}

#endif
