/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on i386.
 *
 * Owns: how they are named, and where the C library has what is the thread's, which a
 * segment tells.  A call by way of the vdso ends there: its IP is behind an int $0x80 at
 * any stop, whichever instruction it was.
 */
#ifndef KP_CLI_TRACEE_H
#define KP_CLI_TRACEE_H

#include "remote.h"

#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

/* Bytes below the stack pointer that are the program's: none. */
#define TRACEE_RED_ZONE 0

/* What clone takes: the fifth argument; a thread pointer it sets by a description of a segment. */
#define TRACEE_CLONE_TLS 0
#define TRACEE_CLONE_TID 4
/* Where in the mailbox's code a thread goes on that has made another one. */
#define TRACEE_AFTER_CLONE 28u

/* At a call's entry another first argument may be given. */
#define TRACEE_FIRST_STAYS 0

struct rest;
struct thread;

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	struct user_regs_struct user;
	unsigned long tls;
};

/* 0 or an errno (tracee.c). */
int tracee_read(pid_t tid, struct tracee_regs *regs);

static inline int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	return ptrace(PTRACE_SETREGS, tid, 0, &regs->user) ? errno : 0;
}

#define TRACEE_IP eip
#define TRACEE_SP esp
#define TRACEE_NUMBER orig_eax
#define TRACEE_RESULT eax
#define TRACEE_ARGS(at) { at(ebx), at(ecx), at(edx), at(esi), at(edi), at(ebp) }
#define TRACEE_CALL_FIRST 0xcd		/* int $0x80 */
#define TRACEE_CALL_SECOND 0x80
#define TRACEE_SLEEPS_MORE(number) \
	((number) == SYS_clock_nanosleep_time64 || (number) == SYS_futex_time64)

#include "tracee_both.h"

static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->tls;
}

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->user.ebx = (long)fn;
	regs->user.esi = (long)a;
	regs->user.edi = (long)b;
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return (unsigned long)regs->user.edi;
}

#endif
