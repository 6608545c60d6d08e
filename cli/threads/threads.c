// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads.c - holding all threads of a process for a moment.
 *
 * Owns: the list of held threads.  Each is stopped, or it sleeps in a system call and is watched:
 * it is traced, so a signal for it, also of a breakpoint, waits for us, and threads that it makes
 * wait; but its sleep continues.  The caller says which threads may stay asleep.  Threads that
 * are made meanwhile are found by searching until every thread is held.
 *
 * Runs in a thread of its own (ptracer_run), whose end releases the watched threads.
 */
#include "attach_cli.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#define LISTINGS 2000

static bool known(const struct threads *threads, pid_t tid)
{
	int i;

	for (i = 0; i < threads->nr; i++)
		if (threads->list[i].tid == tid)
			return true;
	return false;
}

static bool has_ended(pid_t pid, pid_t tid)
{
	char state = remote_state(pid, tid);

	return !state || state == 'Z' || state == 'X';
}

/* Watched, its mask and place known; or stopped. */
static int hold(const struct threads *threads, struct thread *thread)
{
	pid_t pid = threads->pid, tid = thread->tid;

	if (!threads->may_rest || !thread_rest(pid, tid, &thread->rest))
		return thread_interrupt(thread);
	/* It cannot be stopped, and its child shares the memory. */
	if (rest_is_vfork(&thread->rest))
		return EBUSY;
	thread->mask = thread->rest.look.blocked;
	thread->watched = true;
	thread->filtered = thread->rest.look.seccomp > 0;
	if (threads->may_rest(threads->arg, thread))
		return 0;
	return thread_interrupt(thread);
}

static int add(struct threads *threads, pid_t tid)
{
	struct thread *more;
	int err;

	if (threads->nr == threads->room) {
		threads->room = threads->room ? threads->room * 2 : 64;
		more = realloc(threads->list,
			       (size_t)threads->room * sizeof(*more));
		if (!more)
			return ENOMEM;
		threads->list = more;
	}
	err = thread_watch(&threads->list[threads->nr], tid);
	if (!err)
		err = hold(threads, &threads->list[threads->nr]);
	if (!err)
		threads->nr++;
	/* It has ended, or it is a main thread that did. */
	if (err && (err == ESRCH || err == ECHILD ||
		    has_ended(threads->pid, tid)))
		return 0;
	if (err)
		threads->who = tid;
	return err;
}

/*
 * The kernel ends a listing early when a thread ends at which it just was.  So
 * it is compared with the number of threads, and made until two find nobody.
 */
int threads_more(struct threads *threads)
{
	int err = 0, i, nr, clean = 0, tries;

	for (tries = 0; clean < 2 && tries < LISTINGS && !err; tries++) {
		pid_t *tids = NULL;
		int before = threads->nr;
		long all;

		nr = remote_threads(threads->pid, &tids);
		all = remote_status_number(threads->pid, threads->pid,
					   "Threads", 10);
		for (i = 0; i < nr && !err; i++)
			if (tids[i] != threads->except &&
			    tids[i] != threads->service &&
			    tids[i] != threads->engine &&
			    !known(threads, tids[i]))
				err = add(threads, tids[i]);
		free(tids);
		clean = threads->nr == before && nr >= all ? clean + 1 : 0;
	}
	return err ? err : clean < 2 ? EAGAIN : 0;
}

int threads_hold(struct threads *threads)
{
	int err;

	threads->list = NULL;
	threads->nr = threads->room = 0;
	err = threads_more(threads);
	if (err)
		threads_release(threads);
	return err;
}

bool thread_has_moved(pid_t pid, const struct thread *thread)
{
	struct rest now;

	return !thread_rests_still(pid, thread, &now) ||
	       !rest_is_same(&now, &thread->rest);
}

void threads_release(struct threads *threads)
{
	int i;

	for (i = 0; i < threads->nr; i++)
		if (threads->list[i].watched && threads->list[i].filtered &&
		    thread_waits(&threads->list[i]))
			filtered_woken(threads->list[i].tid);
	for (i = 0; i < threads->nr; i++)
		thread_let_go(&threads->list[i]);
	for (i = 0; i < threads->nr; i++)
		thread_release(&threads->list[i]);
	free(threads->list);
	threads->list = NULL;
	threads->nr = threads->room = 0;
}
