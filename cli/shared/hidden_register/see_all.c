// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * see_all.c - a register that the kernel shows otherwise at a call's stops, and keeps for
 * itself meanwhile: arm64's x7, arm's r12.
 *
 * Owns: how it is seen all the same.
 */
#include "ptracer.h"

#include "calls.h"

#include "signals/seccomp_filter.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define ENTRY_MS 2000

/* On, until it stops, as wanted: by our request, or at a call.  EAGAIN: for a signal. */
static int go(struct thread *thread, int how, bool at_call)
{
	int status, err;

	if (ptrace(how, thread->tid, 0, 0))
		return errno;
	thread->stopped = false;
	err = thread_wait(thread->tid, &status, ENTRY_MS);
	if (err)
		return err;
	thread->stopped = true;
	if (at_call ? WSTOPSIG(status) == (SIGTRAP | 0x80) : thread_is_event(status))
		return 0;
	if (!thread_is_event(status))
		thread->signal = WSTOPSIG(status);
	return EAGAIN;
}

/*
 * The thread makes a call that changes nothing, and is stopped behind that, before its
 * own call, with all its registers; then it comes to the entry again: of restart_syscall, if
 * that goes on with what a stop has interrupted, whatever the register for the number says.
 */
int tracee_see_all(struct thread *thread)
{
	struct tracee_regs regs = thread->regs, seen;
	const long call = thread->call, number = regs.x[TRACEE_NUMBER];
	int err;

	/* Then it will not be borrowed. */
	if (filtered_any(thread->tid, SYS_gettid, kp_filter_harms))
		return 0;
	tracee_restart(&regs);
	regs.x[TRACEE_NUMBER] = regs.number;
	regs.number = SYS_gettid;
	err = tracee_write(thread->tid, &regs);
	if (!err && ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0))
		err = errno;
	if (err)
		return err;
	err = go(thread, PTRACE_CONT, false);
	if (err && err != EAGAIN)
		return err;
	if (tracee_read(thread->tid, &seen))
		return errno;
	/* Its result is not the program's. */
	regs.x[TRACEE_HIDDEN] = seen.x[TRACEE_HIDDEN];
	regs.number = -1;
	if (tracee_write(thread->tid, &regs))
		return errno;
	if (!err)
		err = go(thread, PTRACE_SYSCALL, true);
	if (err)
		return err;
	err = thread_read(thread);
	thread->regs.x[TRACEE_HIDDEN] = regs.x[TRACEE_HIDDEN];
	thread->regs.x[TRACEE_NUMBER] = number;
	thread->call = call;
	return err;
}
