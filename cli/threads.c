// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads.c - stopping all threads of a process for a moment.
 *
 * Owns: the list of stopped threads.  A thread that is made meanwhile is found
 * by looking until there is none that is not stopped.
 */
#include "attach_cli.h"

#include <errno.h>
#include <stdlib.h>

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
	char state[64];

	return !remote_status(pid, tid, "State", state, sizeof(state)) ||
	       state[0] == 'Z' || state[0] == 'X';
}

static int add(struct threads *threads, pid_t pid, pid_t tid)
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
	err = thread_stop(&threads->list[threads->nr], tid);
	if (!err)
		threads->nr++;
	/* It has ended, or it is a main thread that did. */
	if (err && (err == ESRCH || has_ended(pid, tid)))
		return 0;
	return err;
}

int threads_stop(struct threads *threads, pid_t pid, pid_t except,
		 pid_t service)
{
	bool again = true;
	int err = 0, i, nr;

	*threads = (struct threads){ NULL, 0, 0 };
	while (again && !err) {
		pid_t *tids = NULL;
		int before = threads->nr;

		nr = remote_threads(pid, &tids);
		for (i = 0; i < nr && !err; i++)
			if (tids[i] != except && tids[i] != service &&
			    !known(threads, tids[i]))
				err = add(threads, pid, tids[i]);
		free(tids);
		again = threads->nr != before;
	}
	if (err)
		threads_release(threads);
	return err;
}

void threads_release(struct threads *threads)
{
	int i;

	for (i = 0; i < threads->nr; i++)
		thread_let_go(&threads->list[i]);
	for (i = 0; i < threads->nr; i++)
		thread_release(&threads->list[i]);
	free(threads->list);
	*threads = (struct threads){ NULL, 0, 0 };
}
