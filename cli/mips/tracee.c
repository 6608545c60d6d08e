// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tracee.c - stopped threads on MIPS.
 *
 * Owns: reading and writing their registers, with what the kernel remembers of a call, which
 * the older of ptrace's requests gives and takes alone; and what kind of stop it is.
 */
#include "ptracer.h"

#include <linux/ptrace.h>
#include <sys/ptrace.h>

#define GET_REGS 12			/* PTRACE_GETREGS */
#define SET_REGS 13			/* PTRACE_SETREGS */
#define GET_THREAD_AREA 25		/* PTRACE_GET_THREAD_AREA */

#define RESTARTSYS 512u			/* the kernel's, to RESTART_RESTARTBLOCK */
#define RESTARTBLOCK 516u

static bool is_interrupted(const struct tracee_regs *regs)
{
	return regs->x[TRACEE_BEGAN] && regs->x[TRACEE_ERROR] &&
	       regs->x[TRACEE_NUMBER] >= RESTARTSYS && regs->x[TRACEE_NUMBER] <= RESTARTBLOCK;
}

int tracee_read(pid_t tid, struct tracee_regs *regs)
{
	struct __ptrace_syscall_info info = { .op = PTRACE_SYSCALL_INFO_NONE };

	if (ptrace((enum __ptrace_request)GET_REGS, tid, NULL, regs->x) ||
	    ptrace((enum __ptrace_request)GET_THREAD_AREA, tid, NULL, &regs->tls) ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
		return errno;
	regs->why = 0;
	regs->number = regs->call = -1;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		regs->number = regs->call = (int32_t)info.entry.nr;
	else if (is_interrupted(regs))
		tracee_take_call_back(regs, regs->x[TRACEE_NUMBER]);
	else if (regs->x[TRACEE_BEGAN] || info.op == PTRACE_SYSCALL_INFO_EXIT)
		regs->number = regs->call = (int64_t)regs->x[TRACEE_BEGAN];
	else if (tracee_peek(tid, tracee_ip(regs)) == TRACEE_CALL)
		regs->call = (int32_t)regs->x[TRACEE_NUMBER];
	return 0;
}

int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	struct tracee_regs to = *regs;

	if (to.why && to.number < 0 && to.call >= 0) {
		to.x[TRACEE_NUMBER] = to.why;
		to.x[TRACEE_ERROR] = 1;
		to.x[TRACEE_PC] += 4;
	} else {
		to.x[TRACEE_BEGAN] = 0;
	}
	/* At its entry: what it is to begin with, if it is interrupted. */
	if (to.number >= 0)
		to.x[TRACEE_FOURTH] = to.x[TRACEE_ERROR];
	return ptrace((enum __ptrace_request)SET_REGS, tid, NULL, to.x) ? errno : 0;
}

/* A call that a stop ends with EINTR is told by its registers. */
bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
			    const struct rest *rest)
{
	(void)tid;
	(void)rest;
	return regs->number >= 0 && regs->x[TRACEE_BEGAN] && tracee_result(regs) == -EINTR;
}
