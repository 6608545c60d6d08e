/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * held.c - whether a tracer has the threads of the process.
 *
 * Owns: the question whether one is traced, and whether all others are held, as /proc says it.
 *
 * Locks: none, and no heap.
 */
#include "threads/held.h"
#include "machine.h"
#include "process/thread_file.h"
#include "process/threads.h"

/* What the kernel says of a thread.  false: there is no /proc, or no such thread. */
struct thread_state {
	char state;			/* as in proc(5) */
	int tracer;			/* 0: none that can be seen from here */
};

static bool read_state(int tid, struct thread_state *out)
{
	char text[512];
	const char *state, *tracer;

	if (!kp_user_thread_file(tid, "status", text, sizeof(text)))
		return false;
	state = strstr(text, "\nState:\t");
	tracer = strstr(text, "\nTracerPid:\t");
	out->state = state ? state[8] : 0;
	out->tracer = tracer ? sys_number(tracer + 12) : 0;
	return true;
}

/* Has it one?  Without /proc: it may. */
bool kp_user_traced(void)
{
	struct thread_state of;

	return !read_state(sys_getpid(), &of) || of.tracer;
}

static bool tracer_seen;		/* by its number in /proc */
static struct {
	int tid, tracer;		/* none: 0 */
} witness;				/* of the last look at all */

/*
 * Is the thread in a tracer's stop, or over?  Who was left asleep is traced, too,
 * and waits for the tracer when it meets a breakpoint.  A tracer in another
 * namespace cannot be seen from here: then it must be asleep.
 */
static bool is_held(int tid)
{
	struct thread_state of;

	if (!read_state(tid, &of))
		return true;
	if (of.tracer) {
		witness.tid = tid;
		witness.tracer = of.tracer;
		return true;
	}
	return of.state && strchr(tracer_seen ? "ZX" : "tZXSD", of.state);
}

static bool runs(int tid, void *unused)
{
	(void)unused;
	return !is_held(tid);
}

/* seen: the client, who traces, has the number in /proc here that it has for itself. */
void kp_user_tracer_seen(bool seen)
{
	tracer_seen = seen;
	witness.tracer = 0;
}

/*
 * Does a tracer hold all other threads?  Without /proc the client is believed.  It lets go
 * of all at once, as its end does.  So later one thread tells that it still does.
 * No heap and no lock: the last parts of detaching begin with it.
 */
bool kp_user_others_held(void)
{
	struct thread_state of;

	if (witness.tracer && read_state(witness.tid, &of) && of.tracer == witness.tracer)
		return true;
	witness.tracer = 0;
	if (kp_user_each_thread(runs, NULL) <= 0)
		return true;
	witness.tracer = 0;
	return false;
}
