// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * filtered.c - what a stop does to a thread with a seccomp filter.
 *
 * Owns: the verdict of a thread's filters on a system call, and the rule that a stop leaves a
 * thread no call that its filters forbid.
 *
 * The kernel continues some sleeps that a stop has interrupted by a call of its own,
 * restart_syscall.  The thread has not made that call, and its filter may not know it.  Such a
 * sleep starts again instead, by its original call, with all of its time.
 */
#include "ptracer.h"

#include "calls.h"
#include "signals/seccomp_filter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

long filtered_mode(pid_t pid, pid_t tid)
{
	return remote_status_number(pid, tid, "Seccomp", 10);
}

bool filtered_any(pid_t tid, long call, bool (*wrong)(uint32_t verdict))
{
	struct seccomp_data data = { .nr = (int)call, .arch = CALLS_AUDIT_ARCH };
	long mode = filtered_mode(tid, tid), nr, i;
	struct sock_filter *code;
	bool any = mode == 1;

	for (i = 0; mode == 2 && !any; i++) {
		nr = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);
		if (nr < 0)
			return !i;
		code = calloc((size_t)nr + 1, sizeof(*code));
		any = !code || ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, code) < 0 ||
		      wrong(kp_filter_evaluate(code, (size_t)nr, &data));
		free(code);
	}
	return any;
}

bool filtered_readable(void)
{
	const uint64_t admin = 1ull << 21;	/* CAP_SYS_ADMIN */
	static int known;			/* 1: yes, -1: no; whoever asks finds the same */
	pid_t self = getpid();

	if (!known)
		known = !filtered_mode(self, ptracer_self()) &&
			(uint64_t)remote_status_number(self, ptracer_self(), "CapEff", 16) & admin
				? 1 : -1;
	return known > 0;
}

/* Is it another's than the kernel's, who then decides on a call nobody made? */
static bool is_not_plain(uint32_t verdict)
{
	verdict &= SECCOMP_RET_ACTION_FULL;
	return verdict != SECCOMP_RET_ALLOW && verdict != SECCOMP_RET_LOG;
}

/* What it was before the kernel took it up again already. */
static long call_before(pid_t tid, const struct tracee_regs *regs)
{
	struct remote remote = { .pid = tid };
	char path[64];
	long call;

	if (tracee_call(regs) != SYS_restart_syscall)
		return tracee_call(regs);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tid);
	remote.mem = open(path, O_RDONLY | O_CLOEXEC);
	if (remote.mem < 0)
		return SYS_restart_syscall;
	call = tracee_restarted(&remote, tracee_ip(regs));
	close(remote.mem);
	return call;
}

void filtered_stopped(struct thread *thread)
{
	if (!tracee_needs_restart(&thread->regs) ||
	    filtered_mode(thread->tid, thread->tid) <= 0 ||
	    !filtered_any(thread->tid, SYS_restart_syscall, is_not_plain))
		return;
	thread->anew = call_before(thread->tid, &thread->regs);
	if (!tracee_repeat(&thread->regs, thread->anew))
		return;
	tracee_write(thread->tid, &thread->regs);
	thread->anew = 0;
}

/*
 * A signal that is ignored wakes who is traced.  It waits with that for the end of
 * its tracer, and would then go on with its sleep.
 */
void filtered_woken(pid_t tid)
{
	struct thread thread = { .tid = tid };

	if (!tracee_read(tid, &thread.regs))
		filtered_stopped(&thread);
}
