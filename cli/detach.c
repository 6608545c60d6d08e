// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * detach.c - leaving a process as it was.
 *
 * Owns: the order:
 *   1. "clear": modules out, probes out, text as it was; the library's signal
 *      handlers stay for traps that are on their way
 *   2. all threads but the library's are stopped; none has a trap pending or
 *      is in the library's code, else they go on and it is tried again
 *   3. the masks that the program wants; "finish": its own dispositions; all
 *      go on, and the library's thread ends
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
#define PAUSE_US 5000

struct wanting {			/* inner numbers of threads */
	int *tids;
	size_t nr;
};

static void take_tids(void *arg, const char *text, size_t len)
{
	struct wanting *wanting = arg;
	const char *end = text + len;

	while (text < end) {
		int *more = realloc(wanting->tids,
				    (wanting->nr + 1) * sizeof(int));

		if (!more)
			return;
		wanting->tids = more;
		wanting->tids[wanting->nr++] = atoi(text);
		text = memchr(text, '\n', (size_t)(end - text));
		text = text ? text + 1 : end;
	}
}

static int inner_tid(pid_t pid, pid_t tid)
{
	char buf[256], *last;

	if (!remote_status(pid, tid, "NSpid", buf, sizeof(buf)))
		return tid;
	last = strrchr(buf, '\t');
	return atoi(last ? last + 1 : buf);
}

static bool in_library(const struct remote *remote, uint64_t ip)
{
	const struct remote_map *map = remote_map_at(remote, ip);

	return map && map->exec && strstr(map->path, "libkprobes.so");
}

static bool quiet(const struct process *process, const struct thread *thread)
{
	long pending = remote_status_number(process->remote.pid, thread->tid,
					    "SigPnd", 16);

	return thread->signal != SIGTRAP && !(pending & (long)TRAP) &&
	       !in_library(&process->remote, thread->regs.rip);
}

static const struct thread *restless(const struct process *process,
				     const struct threads *threads)
{
	int i;

	for (i = 0; i < threads->nr; i++)
		if (!quiet(process, &threads->list[i]))
			return &threads->list[i];
	return NULL;
}

static void give_masks(const struct process *process,
		       const struct threads *threads,
		       const struct wanting *wanting)
{
	uint64_t mask;
	size_t j;
	int i;

	for (i = 0; i < threads->nr; i++) {
		const struct thread *thread = &threads->list[i];
		int tid = inner_tid(process->remote.pid, thread->tid);

		for (j = 0; j < wanting->nr; j++) {
			if (wanting->tids[j] != tid)
				continue;
			mask = thread->mask | TRAP;
			ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask),
			       &mask);
		}
	}
}

/* 0, EAGAIN when a thread is not quiet, or an errno. */
static int try_finish(struct process *process, int fd, pid_t service,
		      const struct wanting *wanting, pid_t *who)
{
	const struct thread *thread;
	struct threads threads;
	char error[512];
	int err = threads_stop(&threads, process->remote.pid, 0, service);

	/* Another command is at work on one of them. */
	if (err)
		return err == EPERM ? EAGAIN : err;
	thread = restless(process, &threads);
	if (thread) {
		*who = thread->tid;
		err = EAGAIN;
	} else {
		give_masks(process, &threads, wanting);
		err = process_ask(fd, "finish", -1, error, sizeof(error), NULL,
				  NULL);
	}
	threads_release(&threads);
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
	pid_t service = process_service(process), who = 0;
	struct wanting wanting = { NULL, 0 };
	char error[512];
	int err, i;

	err = process_ask(fd, "clear", -1, error, sizeof(error), take_tids,
			  &wanting);
	if (!err && remote_refresh(&process->remote))
		err = ESRCH;
	cli_progress_begin("waiting until no thread is in a handler");
	for (i = 0; i < TRIES && !err; i++) {
		err = try_finish(process, fd, service, &wanting, &who);
		if (err != EAGAIN)
			break;
		err = i + 1 < TRIES ? 0 : EAGAIN;
		cli_progress(0, 0);
		usleep(PAUSE_US);
	}
	cli_progress_end();
	free(wanting.tids);
	if (!err) {
		wait_gone(process->remote.pid, service);
		return CLI_OK;
	}
	if (err == EAGAIN)
		cli_error("%s: its text is as it was, but thread %d stays in code of ours, so our signal handlers stay; try again: kprobes unload -a -p %d",
			  process->label, (int)who, (int)process->remote.pid);
	else
		cli_error("%s cannot be left cleanly: %s", process->label,
			  err == EPIPE ? error : strerror(err));
	return CLI_FAILED;
}
