// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ptracer.c - the thread of ours that traces.
 *
 * Owns: its life, and the beginning of tracing.
 *
 * Who is traced and not stopped cannot be let go: that would need a stop.  But
 * the kernel lets go of it, undisturbed, when its tracer ends; and a tracer is
 * a single thread of ours.  So what watches threads runs in one of its own.
 *
 * PTRACE_SEIZE waits in the kernel while a thread of the process begins another
 * program, and that waits until all other threads are gone; but one that is traced
 * is not gone before its end was waited for.  So the tracer would wait for itself.
 * Who waits for the tracer does that in its place, when it is held up there.
 *
 * While neither the process's own masks nor the library's stand for what its threads
 * have blocked (ptracer_critical), a signal that would end this command, as of ^C,
 * waits for the end of that.
 *
 * Locks: one, for all that is static here but what a signal's handler uses.
 */
#include "ptracer.h"
#include "cli.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 20			/* so long a seizing may take */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t *seized;			/* by any tracer that is at work */
static int seized_nr, seized_room;
static int tracers;			/* at work; one may wait for another */
static int seizing;			/* of them, in PTRACE_SEIZE */
static unsigned long serial;		/* of the last seizing */

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
static volatile sig_atomic_t critical;	/* and what came meanwhile */
static volatile sig_atomic_t postponed;

/* ---- the end of this command ------------------------------------------------- */

static void end_by(int sig)
{
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_ending(int sig)
{
	if (critical)
		postponed = sig;
	else
		end_by(sig);
}

void ptracer_critical(bool begins)
{
	critical = begins;
	if (!begins && postponed)
		end_by(postponed);
}

/* Those that would end this command: not who ignores or handles them himself. */
static void watch_ending(void)
{
	struct sigaction now, ours = { .sa_handler = on_ending,
				       .sa_flags = SA_RESTART };
	size_t i;

	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(ending[i], &ours, NULL);
}

static void unwatch_ending(void)
{
	struct sigaction now;
	size_t i;

	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (!sigaction(ending[i], NULL, &now) &&
		    now.sa_handler == on_ending)
			signal(ending[i], SIG_DFL);
}

/* ---- seizing ------------------------------------------------------------------- */

/* By lock. */
static void remember(pid_t tid)
{
	pid_t *more;

	if (seized_nr == seized_room) {
		more = realloc(seized, (size_t)(seized_room + 64) * sizeof(*more));
		if (!more)
			return;
		seized = more;
		seized_room += 64;
	}
	seized[seized_nr++] = tid;
}

pid_t ptracer_self(void)
{
	return (pid_t)syscall(SYS_gettid);
}

int ptracer_seize(pid_t tid, long options)
{
	int err;

	pthread_mutex_lock(&lock);
	serial++;
	seizing++;
	pthread_mutex_unlock(&lock);
	err = ptrace(PTRACE_SEIZE, tid, 0, options) ? errno : 0;
	pthread_mutex_lock(&lock);
	seizing--;
	if (!err)
		remember(tid);
	pthread_mutex_unlock(&lock);
	return err;
}

/* last: the seizing that was seen before. */
static void help(unsigned long *last)
{
	int i;

	pthread_mutex_lock(&lock);
	if (seizing && *last == serial)
		for (i = 0; i < seized_nr; i++)
			waitid(P_PID, (id_t)seized[i], &(siginfo_t){ 0 },
			       WEXITED | WNOHANG | __WALL);
	*last = serial;
	pthread_mutex_unlock(&lock);
}

static void join(pthread_t tracer)
{
	unsigned long last = 0;
	struct timespec until;

	do {
		help(&last);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_MS * 1000000l;
		until.tv_sec += until.tv_nsec / 1000000000l;
		until.tv_nsec %= 1000000000l;
	} while (pthread_clockjoin_np(tracer, NULL, CLOCK_MONOTONIC, &until) ==
		 ETIMEDOUT);
}

static void count(int more)
{
	pthread_mutex_lock(&lock);
	if (!tracers)
		watch_ending();
	tracers += more;
	if (!tracers) {
		seized_nr = 0;
		unwatch_ending();
	}
	pthread_mutex_unlock(&lock);
}

struct work {
	int (*fn)(void *arg);
	void *arg;
	int result;
};

static void *work(void *arg)
{
	struct work *work = arg;

	work->result = work->fn(work->arg);
	return NULL;
}

int ptracer_run(int (*fn)(void *arg), void *arg)
{
	struct work todo = { fn, arg, 0 };
	pthread_t tracer;

	count(1);
	if (pthread_create(&tracer, NULL, work, &todo))
		work(&todo);
	else
		join(tracer);
	count(-1);
	return todo.result;
}
