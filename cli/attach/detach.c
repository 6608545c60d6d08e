// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * detach.c - leaving a process as it was.
 *
 * Owns: the order:
 *   1. "clear": modules out, probes out
 *   2. all threads but the library's are held (threads.c), and those that do
 *      not sleep elsewhere are led out of its code (settle.c)
 *   3. "wanting": who is to get another mask is stopped; "disarm": the library's
 *      own breakpoints; then the masks that the program wants, which were not
 *      quite the kernel's; "finish": its dispositions
 *   4. "release": what no thread can come back to (release.c)
 *   5. all go on, and the library's thread ends
 *   6. what a killed command has left behind goes too
 * Where a command was killed, the next one goes on from there.
 */
#include "attach_cli.h"
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define TRAP (1ul << (SIGTRAP - 1))
#define TRIES 600
#define RECONNECTS 5
#define THREADS_MAX 65536
#define PAUSE_US 5000
#define LATE_TRIES 5			/* with a thread that does not stop when it should */

struct wanting {
	struct {
		int tid;		/* the inner number */
		uint64_t mask;		/* wanted if only TRAP is open; 0: in any case */
	} *list;
	size_t nr;
};

static void take_tids(void *arg, const char *text, size_t len)
{
	struct wanting *wanting = arg;
	const char *end = text + len;

	/* More than a machine has threads: it is not told the truth. */
	while (text < end && wanting->nr < THREADS_MAX) {
		void *more = realloc(wanting->list,
				     (wanting->nr + 1) * sizeof(*wanting->list));
		char *rest;

		if (!more)
			return;
		wanting->list = more;
		wanting->list[wanting->nr].tid = (int)strtol(text, &rest, 10);
		wanting->list[wanting->nr++].mask = strtoull(rest, NULL, 16);
		text = memchr(text, '\n', (size_t)(end - text));
		text = text ? text + 1 : end;
	}
}

static bool wants(const struct wanting *wanting, int tid, uint64_t mask)
{
	size_t i;

	for (i = 0; i < wanting->nr; i++)
		if (wanting->list[i].tid == tid)
			return !wanting->list[i].mask ||
			       mask == (wanting->list[i].mask & ~TRAP);
	return false;
}

static void give_masks(const struct process *process,
		       const struct threads *threads,
		       const struct wanting *wanting)
{
	int i;

	for (i = 0; i < threads->nr; i++) {
		const struct thread *thread = &threads->list[i];
		int tid = remote_inner_tid(process->remote.pid, thread->tid);

		if (!thread->stopped || !wants(wanting, tid, thread->mask))
			continue;
		thread_set_mask(thread, thread->mask | TRAP, thread->mask_rest);
	}
}

static int stop_one(const struct settling *settling, struct thread *thread,
		    pid_t *who)
{
	int err = thread_interrupt(thread);

	if (!err)
		err = settle_one(settling, thread);
	*who = thread->tid;
	/* It has ended. */
	return err == ESRCH || err == ECHILD ? 0 : err;
}

/*
 * Who is to get another mask cannot be left asleep: it could wake and see its
 * mask while no breakpoint watches it any more.  The same goes for the others:
 * if one wakes and wants SIGTRAP blocked now, a breakpoint stops it.  And who
 * has woken already is in nothing that would end.
 */
static int stop_wanting(const struct settling *settling,
			struct threads *threads, const struct wanting *wanting,
			pid_t *who)
{
	pid_t pid = settling->process->remote.pid;
	int i, err = 0;

	for (i = 0; i < threads->nr && !err; i++) {
		struct thread *thread = &threads->list[i];

		if (thread->watched &&
		    (wants(wanting, remote_inner_tid(pid, thread->tid),
			   thread->mask) || thread_has_moved(pid, thread)))
			err = stop_one(settling, thread, who);
	}
	return err;
}

/*
 * It woke, and blocked SIGTRAP where the breakpoint that watches that was gone
 * already, but met another: the kernel has opened SIGTRAP again, and dropped the
 * handler, which "finish" knows.
 */
static void block_again(struct thread *thread, pid_t pid, uint64_t before)
{
	if ((uint64_t)remote_status_signals(pid, pid, "SigCgt") & TRAP ||
	    !(thread->mask & ~before))
		return;
	thread->mask |= TRAP;
	thread_set_mask(thread, thread->mask, thread->mask_rest);
}

static int lead_out_one(const struct settling *settling, struct thread *thread)
{
	const struct remote *remote = &settling->process->remote;
	uint64_t before = thread->mask;
	int err = thread_interrupt(thread);

	if (!err)
		err = thread_arrive(thread);
	if (!err && thread_take_back(remote, thread, false))
		block_again(thread, remote->pid, before);
	if (!err)
		err = settle_one(settling, thread);
	return err == ESRCH || err == ECHILD ? 0 : err;
}

/*
 * The last breakpoint is gone.  Who was left asleep, woke and met one, waits
 * with the signal for us, or is about to: it executes what stands there now.  Not
 * by way of our handler, which would do the call for it as if masks were still
 * watched.
 */
static int lead_out(const struct settling *settling, struct threads *threads,
		    pid_t *who)
{
	pid_t pid = settling->process->remote.pid;
	struct rest now;
	int i, err = 0;

	for (i = 0; i < threads->nr && !err; i++) {
		struct thread *thread = &threads->list[i];

		if (!thread->watched || thread_rests_still(pid, thread, &now))
			continue;
		err = lead_out_one(settling, thread);
		*who = thread->tid;
	}
	return err;
}

static int ask(int fd, const char *verb, struct wanting *wanting)
{
	char error[512];

	return process_ask(fd, verb, -1, error, sizeof(error),
			   wanting ? take_tids : NULL, wanting);
}

/* The memory, too, where that can be. */
static int finish(struct process *process, int fd, struct threads *threads)
{
	struct release *release = release_begin(&process->remote, fd);
	int err = ask(fd, release ? "finish stay" : "finish", NULL);

	if (!err && release)
		release_ask(release, threads, fd);
	if (release)
		release_end(release);
	return err;
}

struct finishing {
	struct process *process;
	struct settling *settling;
	pid_t service, who;
};

/* 0, EAGAIN when a thread is in our code, or an errno. */
static int try_finish(void *arg)
{
	struct finishing *f = arg;
	struct settling *settling = f->settling;
	struct wanting wanting = { NULL, 0 };
	struct threads threads = {
		.pid = f->process->remote.pid, .service = f->service,
		.may_rest = settle_rests, .arg = settling,
	};
	int err = threads_hold(&threads);

	/* Another command is at work on one of them, or one is in vfork(). */
	if (err) {
		f->who = threads.who;
		return err == EPERM || err == EBUSY ? EAGAIN : err;
	}
	err = settle_all(settling, &threads, &f->who);
	if (!err)
		err = ask(settling->fd, remote_same_numbers(threads.pid)
					? "wanting traced" : "wanting", &wanting);
	if (!err)
		err = stop_wanting(settling, &threads, &wanting, &f->who);
	wanting.nr = 0;
	ptracer_critical(true);
	if (!err)
		err = ask(settling->fd, "disarm", &wanting);
	if (!err) {
		err = lead_out(settling, &threads, &f->who);
		/* In any case: nothing watches them any more. */
		give_masks(f->process, &threads, &wanting);
	}
	if (!err)
		err = finish(f->process, settling->fd, &threads);
	threads_release(&threads);
	ptracer_critical(false);
	free(wanting.list);
	/* It saw one awake that is traced from another namespace. */
	return err == EBUSY ? EAGAIN : err;
}

static void wait_gone(pid_t pid, pid_t tid)
{
	char path[64];
	int i;

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	for (i = 0; i < 2000 && !access(path, F_OK); i++)
		usleep(1000);
}

/*
 * 0, EAGAIN when a thread is in our code, ETIMEDOUT when it did not stop, EPIPE: the
 * endpoint has closed fd; or an errno.
 */
static int detach(struct process *process, int fd, pid_t *who, pid_t *service)
{
	struct settling settling = { .process = process, .fd = fd };
	struct finishing f = {
		.process = process, .settling = &settling,
		.service = process_service(process),
	};
	int err, i, late = 0;

	err = ask(fd, "clear", NULL);
	if (!err)
		err = settle_begin(&settling);
	if (!err && remote_refresh(&process->remote))
		err = ESRCH;
	for (i = 0; i < TRIES && !err; i++) {
		/* Who was left asleep is let go with each try. */
		err = ptracer_run(try_finish, &f);
		if (err != EAGAIN && (err != ETIMEDOUT || ++late == LATE_TRIES))
			break;
		err = i + 1 < TRIES ? 0 : err;
		cli_progress(0, 0);
		usleep(PAUSE_US);
	}
	*who = f.who;
	*service = f.service;
	return err;
}

int process_detach(struct process *process, int fd)
{
	pid_t who = 0, service = 0;
	int err, status = CLI_OK, tries = 0;

	cli_progress_begin("waiting until no thread is in a handler");
	err = detach(process, fd, &who, &service);
	/* It does not wait for a command that gets no time: then again, from the begin. */
	while (err == EPIPE && tries++ < RECONNECTS) {
		err = 0;
		status = process_reread(process);
		if (!status && process->surface.attached)
			status = process_reconnect(process, fd);
		if (!status && process->surface.attached && process->connection >= 0)
			err = detach(process, fd, &who, &service);
	}
	cli_progress_end();
	if (status)
		return status;
	if (!err) {
		wait_gone(process->remote.pid, service);
		if (remote_refresh(&process->remote))
			return CLI_OK;
		return process_clean(process);
	}
	if (err == EAGAIN || err == ETIMEDOUT)
		return process_failed(
			process->remote.pid, CLI_FAILED,
			": its probes are gone, but thread %d %s, so our signal handlers stay; try again: kprobes unload -a -p %d",
			(int)who,
			err == EAGAIN ? "stays in code of ours" : "cannot be stopped now",
			(int)process->remote.pid);
	if (err == EPIPE)
		return process_failed(
			process->remote.pid, CLI_FAILED,
			": it closes each connection before all is done, so something of ours may stay; try again: kprobes unload -a -p %d",
			(int)process->remote.pid);
	return process_failed(process->remote.pid, CLI_FAILED,
			      " cannot be left cleanly: %s", strerror(err));
}
