// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * detach.c - leaving a process as it was.
 *
 * Owns: the order:
 *   1. "clear": modules out, probes out
 *   2. all threads but the library's are stopped, and led out of its code
 *      (settle.c)
 *   3. "disarm": the library's own breakpoints; then the masks that the program
 *      wants, which were not quite the kernel's; "finish": its dispositions
 *   4. all go on, and the library's thread ends
 *   5. what a killed command has left behind goes too
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
#define THREADS_MAX 65536
#define PAUSE_US 5000

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
	uint64_t mask;
	int i;

	for (i = 0; i < threads->nr; i++) {
		const struct thread *thread = &threads->list[i];
		int tid = remote_inner_tid(process->remote.pid, thread->tid);

		if (!wants(wanting, tid, thread->mask))
			continue;
		mask = thread->mask | TRAP;
		ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask), &mask);
	}
}

static int ask(int fd, const char *verb, struct wanting *wanting)
{
	char error[512];

	return process_ask(fd, verb, -1, error, sizeof(error),
			   wanting ? take_tids : NULL, wanting);
}

/* 0, EAGAIN when a thread is in our code, or an errno. */
static int try_finish(struct process *process, const struct settling *settling,
		      pid_t service, pid_t *who)
{
	struct wanting wanting = { NULL, 0 };
	struct threads threads;
	int err = threads_stop(&threads, process->remote.pid, 0, service);

	/* Another command is at work on one of them. */
	if (err)
		return err == EPERM ? EAGAIN : err;
	err = settle_all(settling, &threads, who);
	if (!err)
		err = ask(settling->fd, "disarm", &wanting);
	if (!err) {
		give_masks(process, &threads, &wanting);
		err = ask(settling->fd, "finish", NULL);
	}
	threads_release(&threads);
	free(wanting.list);
	return err;
}

static void wait_gone(pid_t pid, pid_t tid)
{
	char path[64];
	int i;

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	for (i = 0; i < 2000 && !access(path, F_OK); i++)
		usleep(1000);
}

int process_detach(struct process *process, int fd)
{
	struct settling settling = { .process = process, .fd = fd };
	pid_t service = process_service(process), who = 0;
	int err, i;

	err = ask(fd, "clear", NULL);
	if (!err)
		err = settle_begin(&settling);
	if (!err && remote_refresh(&process->remote))
		err = ESRCH;
	cli_progress_begin("waiting until no thread is in a handler");
	for (i = 0; i < TRIES && !err; i++) {
		err = try_finish(process, &settling, service, &who);
		if (err != EAGAIN)
			break;
		err = i + 1 < TRIES ? 0 : EAGAIN;
		cli_progress(0, 0);
		usleep(PAUSE_US);
	}
	cli_progress_end();
	if (!err) {
		wait_gone(process->remote.pid, service);
		if (remote_refresh(&process->remote))
			return CLI_OK;
		return process_clean(process);
	}
	if (err == EAGAIN)
		return process_failed(
			process->remote.pid, CLI_FAILED,
			": its probes are gone, but thread %d stays in code of ours, so our signal handlers stay; try again: kprobes unload -a -p %d",
			(int)who, (int)process->remote.pid);
	return process_failed(process->remote.pid, CLI_FAILED,
			      " cannot be left cleanly: %s", strerror(err));
}
