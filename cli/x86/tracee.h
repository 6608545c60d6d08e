/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracee.h - a stopped thread's registers, on x86-64.
 *
 * Owns: the command's only knowledge of them, of the instruction of a system call and
 * of how the kernel restarts one; each processor's folder has this file.
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

/* Bytes below the stack pointer that are the program's. */
#define TRACEE_RED_ZONE 128

/* At a call's entry another first argument may be given. */
#define TRACEE_FIRST_STAYS 0

/* Where clone has the new thread's pointer, and where its number is kept. */
#define TRACEE_CLONE_TLS 4
#define TRACEE_CLONE_TID 3
/* Where in the mailbox's code both threads go on (frame.c). */
#define TRACEE_AFTER_CLONE 21u

struct rest;
struct thread;

/* Words, all of them: who looks for an address looks at each. */
struct tracee_regs {
	struct user_regs_struct user;
};

/* ---- reading and writing ----------------------------------------------------------- */

/* 0 or an errno. */
static inline int tracee_read(pid_t tid, struct tracee_regs *regs)
{
	return ptrace(PTRACE_GETREGS, tid, 0, &regs->user) ? errno : 0;
}

static inline int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	return ptrace(PTRACE_SETREGS, tid, 0, &regs->user) ? errno : 0;
}

#define TRACEE_IP rip
#define TRACEE_SP rsp
#define TRACEE_NUMBER orig_rax
#define TRACEE_RESULT rax
#define TRACEE_ARGS(at) { at(rdi), at(rsi), at(rdx), at(r10), at(r8), at(r9) }
#define TRACEE_CALL_FIRST 0x0f		/* syscall */
#define TRACEE_CALL_SECOND 0x05
#define TRACEE_SLEEPS_MORE(number) false

#include "tracee_both.h"

/* Where the C library has what is the thread's. */
static inline uint64_t tracee_tls(const struct tracee_regs *regs)
{
	return regs->user.fs_base;
}

/* fn(a, b), by the code in the mailbox (frame.c). */
static inline void tracee_call_function(struct tracee_regs *regs, uint64_t mailbox,
					uint64_t sp, uint64_t fn, uint64_t a, uint64_t b)
{
	tracee_go_to(regs, mailbox, sp);
	regs->user.rbx = fn;
	regs->user.rdi = a;
	regs->user.rsi = b;
}

/* What that has returned. */
static inline uint64_t tracee_function_result(const struct tracee_regs *regs)
{
	return regs->user.r12;
}

#endif
