// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * parked.c - holding a program before its first instruction.
 *
 * Owns: how that is done.  The process is traced while it executes the program.  The kernel stops
 * it when that is mapped, before any instruction of it or of its dynamic linker.  It is sent to
 * code of ours then (park.h), where it sleeps untraced, and is a process like any other: what the
 * command does with -p it does there.  At last it is stopped again and gets the registers with
 * which it was to begin.
 *
 * Invariant: it never begins by itself.  While it is traced the kernel ends it with this command;
 * where it waits it sees that its holder is gone.
 */
#include "parked.h"
#include "attach_cli.h"
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXEC_MS 60000			/* its file may be far away */
#define OPTIONS (PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD)

static pid_t waiting;			/* that we have started; 0: nobody */

bool parked_is(pid_t pid)
{
	return pid && waiting == pid;
}

struct taking {
	struct parked *parked;
	int go;
	pid_t holder;
	bool *ended;
};

static int cannot(pid_t pid, const char *what, int err)
{
	process_wait_gone(pid, err);
	return process_failed(pid, err == EPERM ? CLI_REFUSED : CLI_FAILED,
			      " cannot be started with probes: %s: %s%s", what, strerror(err),
			      err == EPERM ? " (a security module, or the container that this runs in, forbids ptrace)"
					   : "");
}

/* Where the kernel has stopped it, with the program's first registers. */
static int wait_exec(pid_t pid)
{
	int status, err;

	for (;;) {
		err = thread_wait(pid, &status, EXEC_MS);
		if (err)
			return err;
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
		/* A signal before that is its own affair. */
		if (ptrace(PTRACE_CONT, pid, 0, (long)(status >> 16 ? 0 : WSTOPSIG(status))))
			return errno;
	}
}

/* by_itself: it begins without its holder. */
static int send_there(struct parked *p, pid_t holder, bool by_itself)
{
	struct remote remote;
	struct tracee_regs regs;
	int err = tracee_read(p->pid, &p->begin);

	if (!err)
		err = remote_open(&remote, p->pid);
	if (err)
		return err;
	p->park = park_make(&remote, holder, by_itself ? tracee_ip(&p->begin) : 0);
	remote_close(&remote);
	if (!p->park)
		return ENOSYS;
	tracee_leave_call(&p->begin);
	regs = p->begin;
	tracee_go_to(&regs, park_wait_at(p->park), tracee_sp(&regs));
	return tracee_write(p->pid, &regs);
}

static int take(void *arg)
{
	struct taking *t = arg;
	struct parked *p = t->parked;
	int err = ptracer_seize(p->pid, OPTIONS);

	if (err)
		return cannot(p->pid, "ptrace", err);
	/* It may have been killed: then its end is seen. */
	if (write(t->go, "", 1) != 1 && errno != EPIPE)
		return cannot(p->pid, "it cannot be told to begin", errno);
	err = wait_exec(p->pid);
	*t->ended = err == ESRCH || err == ECHILD;
	if (*t->ended)
		return CLI_FAILED;
	if (!err)
		err = send_there(p, t->holder, false);
	if (err)
		return cannot(p->pid, err == ENOSYS ? "there is no room behind the kernel's code in it"
						    : "it cannot be held", err);
	ptrace(PTRACE_DETACH, p->pid, 0, 0);
	waiting = p->pid;
	return CLI_OK;
}

int parked_take(struct parked *p, pid_t pid, int go, pid_t holder, bool *ended)
{
	struct taking taking = { p, go, holder, ended };

	*p = (struct parked){ .pid = pid };
	*ended = false;
	return ptracer_run(take, &taking);
}

/* ---- one that another program executes ------------------------------------------------------ */

#define FOLLOW_MS 2000
#define FOLLOW_LOOK_MS 1

struct following {
	struct parked *parked;
	pid_t tid, holder;
	void (*granted)(void *arg);
	bool (*over)(void *arg);
	void *arg;
};

/* Whoever executes a program becomes its first thread: then that one is traced. */
static int wait_followed(const struct following *f)
{
	long end = thread_now_ms() + FOLLOW_MS;
	pid_t pid = f->parked->pid, who = f->tid;
	int status, err;

	while (thread_now_ms() < end) {
		err = thread_wait(who, &status, FOLLOW_LOOK_MS);
		if (err) {
			if (err != ETIMEDOUT && (f->tid == pid || remote_ending(pid)))
				return err;
			if (f->over(f->arg))
				return ECANCELED;
			who = who == pid ? f->tid : pid;
			continue;
		}
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
		if (ptrace(PTRACE_CONT, who, 0, (long)(status >> 16 ? 0 : WSTOPSIG(status))))
			return errno;
	}
	return ETIMEDOUT;
}

static int follow(void *arg)
{
	const struct following *f = arg;
	struct parked *p = f->parked;
	int err = ptracer_seize(f->tid, PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD);

	if (err)
		return err;
	f->granted(f->arg);
	err = wait_followed(f);
	if (err)
		return err;
	err = send_there(p, f->holder, true);
	/* Where it cannot wait, it begins. */
	ptrace(PTRACE_DETACH, p->pid, 0, 0);
	return err;
}

bool parked_follow(struct parked *p, pid_t pid, pid_t tid, pid_t holder, void (*granted)(void *arg),
		   bool (*over)(void *arg), void *arg)
{
	struct following following = { p, tid, holder, granted, over, arg };

	*p = (struct parked){ .pid = pid };
	if (ptracer_run(follow, &following))
		p->pid = 0;
	return p->pid;
}

/* ---- its begin, or its end ------------------------------------------------------------ */

struct leaving {
	struct parked *parked;
	int status;			/* with which it ends; < 0: it begins */
};

static int leave(void *arg)
{
	const struct leaving *l = arg;
	struct parked *p = l->parked;
	struct tracee_regs regs = p->begin;
	struct remote remote;
	struct thread thread;
	int err = thread_stop(&thread, p->pid);

	if (!err && remote_open(&remote, p->pid))
		err = ESRCH;
	if (err)
		return err;
	if (l->status < 0)
		park_unmake(&remote, p->park);
	else
		tracee_go_to(&regs, park_end_at(&remote, p->park, l->status), tracee_sp(&regs));
	remote_close(&remote);
	thread.regs = regs;
	err = tracee_write(p->pid, &regs);
	thread_release(&thread);
	return err;
}

int parked_let_go(struct parked *p)
{
	struct leaving leaving = { p, -1 };
	pid_t pid = p->pid;
	int err = ptracer_run(leave, &leaving);

	if (waiting == pid)
		waiting = 0;
	p->pid = 0;
	/* It may have been killed: its end is seen. */
	return err && !remote_ending(pid) ? cannot(pid, "it cannot be let go", err) : CLI_OK;
}

void parked_end(struct parked *p, int status)
{
	struct leaving leaving = { p, status };

	if (p->pid && ptracer_run(leave, &leaving))
		kill(p->pid, SIGKILL);
	p->pid = waiting = 0;
}
