// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stop.c - tracing, stopping and resuming one thread.
 *
 * Owns: how that is done.  A system call that the stop itself has interrupted is restarted.
 */
#include "ptracer.h"
#include "cli.h"
#include "newer_calls.h"

#include <errno.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOP_MS 2000			/* for a stop that must come */
#define RESUME_MS 50			/* for a call to be taken up again */
#define SPINS 50			/* looks at once, before it waits between them */

#define SET_LEN (_NSIG / 8)		/* of the kernel's: of 64 signals, or 128 */
#define TRAP (1ull << (SIGTRAP - 1))
#define FAULT (1ull << (SIGSEGV - 1))

long thread_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- one thread ---------------------------------------------------------------- */

/* Is it the stop with which a signal is about to be delivered? */
static bool is_signal_stop(const siginfo_t *info)
{
	return info->si_code == CLD_TRAPPED && info->si_status > 0 &&
	       info->si_status < 0x80;
}

/*
 * As waitpid(), but a stop for a signal stays to be waited for.  Once it was waited
 * for, the kernel forgets the signal if its tracer ends: the program would lose it, and a
 * thread that has met a breakpoint would go on in the middle of an instruction.
 */
static pid_t look(pid_t tid, int *status)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)tid, &info,
		   WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL))
		return -1;
	if (!info.si_pid)
		return 0;
	if (!is_signal_stop(&info))
		return waitpid(tid, status, __WALL | WNOHANG);
	*status = info.si_status << 8 | 0x7f;
	return tid;
}

/*
 * A machine that stood still (a virtual one whose host is busy) leaves its clock ahead:
 * time alone does not tell that the thread could run, so as many looks as that are made.
 */
int thread_wait(pid_t tid, int *status, int ms)
{
	const int looks = SPINS + ms / 20;
	long end = thread_now_ms() + ms;
	int tries = 0;
	pid_t got;

	for (;;) {
		got = look(tid, status);
		if (got == tid)
			return WIFSTOPPED(*status) ? 0 : ESRCH;
		if (got < 0 && errno != EINTR)
			return errno;
		if (thread_now_ms() > end && tries > looks)
			return ETIMEDOUT;
		if (tries++ < SPINS)
			sched_yield();
		else
			usleep(100);
	}
}

/* Does it wait for us with a signal?  Which; it is not taken from it yet. */
int thread_waits(const struct thread *thread)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)thread->tid, &info,
		   WSTOPPED | WNOHANG | WNOWAIT | __WALL) || !info.si_pid)
		return 0;
	return info.si_status >> 8 ? 0 : info.si_status & 0x7f;
}

/* Stopped by our request, or at a thread's making; not by a signal of its own. */
bool thread_is_event(int status)
{
	return status >> 16;
}

static bool is_call(long call, const long *calls, size_t nr)
{
	while (nr--)
		if (calls[nr] == call)
			return true;
	return false;
}
#define IS_CALL(call, calls) is_call(call, calls, sizeof(calls) / sizeof((calls)[0]))

/*
 * Calls that end with EINTR when they are interrupted, even by a stop, having
 * done nothing.  If there is a signal with a handler they still do.
 */
static bool ends_with_stop(const struct tracee_regs *regs, pid_t tid)
{
	static const long calls[] = {
		SYS_epoll_wait, SYS_epoll_pwait, NR_epoll_pwait2,
		SYS_rt_sigtimedwait, SYS_semop, SYS_semtimedop,
		SYS_io_getevents, SYS_io_pgetevents, SYS_accept, SYS_accept4,
		SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto,
		SYS_sendmsg, SYS_sendmmsg, SYS_msgrcv, SYS_msgsnd,
		NR_io_uring_enter,
	};
	/* On other files, EINTR may be what a driver or a server says. */
	static const long on_sockets[] = {
		SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_connect,
	};
	long number = tracee_call(regs);
	long call = calls_alike(number, (unsigned long)tracee_arg(regs, 0));

	return IS_CALL(call, calls) ||
	       (IS_CALL(call, on_sockets) &&
		(call != number || rest_on_socket(tid, (unsigned int)tracee_arg(regs, 0))));
}

/* rest: where it slept before; NULL: it ran. */
static void restart_call(struct tracee_regs *regs, pid_t tid,
			 const struct rest *rest)
{
	if (!tracee_has_ended_early(tid, regs, rest) || !ends_with_stop(regs, tid))
		return;
	tracee_restart(regs);
	tracee_write(tid, regs);
}

int thread_read(struct thread *thread)
{
	uint64_t words[2] = { 0, 0 };
	int err = tracee_read(thread->tid, &thread->regs);

	if (!err && ptrace(PTRACE_GETSIGMASK, thread->tid, SET_LEN, words))
		err = errno;
	if (err)
		return err;
	thread->mask = words[0];
	thread->mask_rest = words[1];
	return 0;
}

int thread_set_mask(const struct thread *thread, uint64_t mask, uint64_t rest)
{
	uint64_t words[2] = { mask, rest };

	return ptrace(PTRACE_SETSIGMASK, thread->tid, SET_LEN, words) ? errno : 0;
}

int thread_watch(struct thread *thread, pid_t tid)
{
	/* The threads and processes that it makes meanwhile wait, too. */
	int err = ptracer_seize(tid, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
				    PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK);

	*thread = (struct thread){ .tid = tid };
	/* Made by one that is watched, it is traced already. */
	if (err == EPERM &&
	    remote_status_number(tid, tid, "TracerPid", 10) == ptracer_self())
		return 0;
	return err;
}

/* Its next stop, and the registers; a signal that came is kept. */
static int await_stop(struct thread *thread, int *status)
{
	int err = thread_wait(thread->tid, status, STOP_MS);

	if (err)
		return err;
	thread->stopped = true;
	if (!thread_is_event(*status))
		thread->signal = WSTOPSIG(*status);
	return thread_read(thread);
}

int thread_interrupt(struct thread *thread)
{
	struct rest rest;
	bool rested = thread_rest(thread->tid, thread->tid, &rest);
	int status, err;

	thread->watched = false;
	/* One that is stopped already reports that. */
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0))
		return errno;
	err = await_stop(thread, &status);
	if (err)
		return err;
	if (thread_is_event(status))
		restart_call(&thread->regs, thread->tid, rested ? &rest : NULL);
	filtered_stopped(thread);
	thread->call = tracee_call(&thread->regs);
	return 0;
}

pid_t thread_made(const struct thread *thread)
{
	unsigned long child = 0;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) ||
	    (info.si_code >> 8 != PTRACE_EVENT_VFORK &&
	     info.si_code >> 8 != PTRACE_EVENT_FORK &&
	     info.si_code >> 8 != PTRACE_EVENT_CLONE) ||
	    ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &child))
		return 0;
	return (pid_t)child;
}

/*
 * It may be stopped on its way from a breakpoint, or a protected page, to the signal of
 * that, which the kernel has for it already: let that arrive.
 */
int thread_arrive(struct thread *thread)
{
	int64_t pending = remote_status_signals(thread->tid, thread->tid, "SigPnd");
	int status;

	if (thread->signal || pending == -1 ||
	    !((uint64_t)pending & ~thread->mask & (TRAP | FAULT)))
		return 0;
	if (ptrace(PTRACE_CONT, thread->tid, 0, 0))
		return errno;
	thread->stopped = false;
	return await_stop(thread, &status);
}

/*
 * The kernel drops the signal that the thread is stopped with.  It stops again before it
 * executes anything.
 */
static bool drop_signal(struct thread *thread)
{
	int status;

	thread->signal = 0;
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) ||
	    ptrace(PTRACE_CONT, thread->tid, 0, 0))
		return false;
	thread->stopped = false;
	return !await_stop(thread, &status);
}

/*
 * The signal is dropped at once.  As long as it is pending, it is delivered if this
 * command is killed, and kills where the handler is gone by then.  In between, where the
 * IP is set back and the signal is pending, the library knows what has happened
 * (was_taken_back in trap.c).
 */
bool thread_take_back(const struct remote *remote, struct thread *thread,
		      bool stands)
{
	siginfo_t info;

	if (thread->signal != SIGTRAP ||
	    ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) ||
	    !tracee_take_back(remote, &info, &thread->regs, stands) ||
	    tracee_write(thread->tid, &thread->regs))
		return false;
	return drop_signal(thread);
}

int thread_stop(struct thread *thread, pid_t tid)
{
	int err = ptracer_seize(tid, PTRACE_O_TRACESYSGOOD);

	*thread = (struct thread){ .tid = tid };
	return err ? err : thread_interrupt(thread);
}

bool thread_at_entry(pid_t tid)
{
	struct __ptrace_syscall_info info = { 0 };

	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/*
 * To be let go at a call's entry interrupts that call behind our back.  So it is stopped
 * in it, where what that does to it is mended.
 */
static void leave_entry(struct thread *thread)
{
	const struct tracee_regs *regs = &thread->regs;
	struct rest rest = { .call = tracee_call(regs), .sp = tracee_sp(regs),
			     .pc = tracee_ip(regs) };
	unsigned int i;
	int status;

	for (i = 0; i < 6; i++)
		rest.args[i] = (unsigned long)tracee_arg(regs, i);
	thread->at_entry = false;
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) ||
	    ptrace(PTRACE_CONT, thread->tid, 0, (long)thread->signal))
		return;
	thread->signal = 0;
	thread->stopped = false;
	if (await_stop(thread, &status))
		return;
	restart_call(&thread->regs, thread->tid, &rest);
	filtered_stopped(thread);
}

/* To the entry of the kernel's call for it, which becomes its own again. */
static void begin_anew(struct thread *thread)
{
	struct tracee_regs regs;
	int status;

	if (ptrace(PTRACE_SYSCALL, thread->tid, 0, (long)thread->signal))
		return;
	thread->signal = 0;
	if (thread_wait(thread->tid, &status, RESUME_MS) &&
	    (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) ||
	     thread_wait(thread->tid, &status, STOP_MS)))
		return;
	if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
		if (!thread_is_event(status))
			thread->signal = WSTOPSIG(status);
		return;
	}
	if (tracee_read(thread->tid, &regs) || tracee_call(&regs) != SYS_restart_syscall)
		return;
	tracee_enter_call(&regs, thread->anew);
	tracee_write(thread->tid, &regs);
}

void thread_let_go(struct thread *thread)
{
	if (!thread->stopped)
		return;
	if (thread->at_entry)
		leave_entry(thread);
	if (!thread->stopped)
		return;
	if (thread->anew)
		begin_anew(thread);
	ptrace(PTRACE_DETACH, thread->tid, 0, (long)thread->signal);
	thread->stopped = false;
	thread->resuming = tracee_call(&thread->regs) >= 0;
}

/*
 * Into the system call that it is before.  To be let go would interrupt that, so
 * it stays traced until this tracer ends.
 */
void thread_go_on(struct thread *thread)
{
	ptrace(PTRACE_CONT, thread->tid, 0, (long)thread->signal);
	thread->stopped = false;
	thread->resuming = true;
}

/*
 * A system call that was interrupted begins anew.  Until it sleeps in it again
 * no probe may come to stand there: the return from our signal handler would
 * make the kernel forget how long is left.
 */
static void wait_resumed(const struct thread *thread)
{
	long end = thread_now_ms() + RESUME_MS;
	char state;

	do {
		state = remote_state(thread->tid, thread->tid);
		/* A signal came: it gets that when this tracer ends. */
		if (state != 'R' && (state != 't' || thread_waits(thread)))
			return;
		sched_yield();
	} while (thread_now_ms() < end);
}

void thread_release(struct thread *thread)
{
	thread_let_go(thread);
	if (thread->resuming)
		wait_resumed(thread);
	thread->resuming = false;
	free(thread->vectors);
	thread->vectors = NULL;
}
