/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on riscv64.
 *
 * Owns: with tracee_words.h the command's only knowledge of them and of the instruction
 * of a system call; each processor's folder has this file.
 *
 * The kernel keeps for itself what a0 was when a call began: it gives that as the call's
 * first argument, and takes no other one.  So a call in the place of another is made in
 * that of one which has begun with its a0.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "remote.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#define TRACEE_CALL 0x00000073u		/* ecall */
#define TRACEE_CALL_MASK ~0u
#define TRACEE_RETURN 0x08b00893u	/* li a7, 139 */
/* c.ebreak, over the first half of whatever stood there. */
#define TRACEE_BREAKPOINT 0x9002u
#define TRACEE_BREAKPOINT_MASK 0xffffu

/* At a call's entry no other first argument may be given. */
#define TRACEE_FIRST_STAYS 1

/* In x, which has the PC in x0's place. */
#define TRACEE_LINK 1
#define TRACEE_SP 2
#define TRACEE_TP 4
#define TRACEE_ARG 10
#define TRACEE_NUMBER 17

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	uint64_t x[32];			/* as ptrace gives them; but at a call's entry a0 */
	int64_t number;
	int64_t call;
};

static inline uint64_t tracee_ip(const struct tracee_regs *regs)
{
	return regs->x[0];
}

/* What a word in memory or a register is, taken for an address of code. */
static inline uint64_t tracee_address(uint64_t word)
{
	return word;
}

static inline void tracee_set_ip(struct tracee_regs *regs, uint64_t ip)
{
	regs->x[0] = ip;
}

static inline uint64_t tracee_sp(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_SP];
}

static inline void tracee_set_sp(struct tracee_regs *regs, uint64_t sp)
{
	regs->x[TRACEE_SP] = sp;
}

/* Where the C library has what is the thread's. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_TP];
}

/* li a7, number? */
static inline bool tracee_sets_number(uint32_t insn, long number)
{
	return insn == (0x893u | (uint32_t)number << 20);
}

#include "number_reg.h"
#include "one_set.h"
#include "tracee_words.h"
#include "taken_back.h"

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->x[8] = 0;			/* s0: no frame of a caller's */
	regs->x[18] = fn;		/* s2 */
	regs->x[TRACEE_ARG] = a;
	regs->x[TRACEE_ARG + 1] = b;
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->x[19];		/* s3 */
}

#endif
