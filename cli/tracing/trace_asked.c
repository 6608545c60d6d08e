// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_asked.c - traced processes that are about to execute what loads nothing itself.
 *
 * Owns: the answers to who is about to execute one (kp_process_follow_held).  It gets one of the
 * memories that nobody has yet, is traced, and held before its first instruction (parked.c).
 * Then it is one that has come like others (trace_follow.c, trace_held.c).
 *
 * Invariant: whoever asks is answered, or goes on by itself.  What it says is looked at: it has
 * to be a thread of a process that has the very memory mapped in which it asks.
 */
#include "attach_cli.h"
#include "parked.h"
#include "tracing.h"

#include <stdlib.h>
#include <unistd.h>

static void say(struct kp_process_asker *asker, enum kp_process_asks what)
{
	/* Pairs with ask() of host/linux-user/signals/follow.c. */
	__atomic_store_n(&asker->state, what, __ATOMIC_RELEASE);
}

static void granted(void *asker)
{
	say(asker, KP_ASKS_GRANTED);
}

static bool over(void *asker)
{
	const struct kp_process_asker *of = asker;

	return __atomic_load_n(&of->state, __ATOMIC_ACQUIRE) != KP_ASKS_GRANTED;
}

/* One that no program has, for this one; or NULL: the limit is reached. */
static struct tracing_process *reserve(struct tracing *t, unsigned int *which)
{
	unsigned int i;

	for (i = 0; i < TRACING_PROCESSES; i++) {
		struct tracing_process *p = &t->processes[i];
		uint32_t is_new = KT_SHARE_NEW;

		if (p->pid || p->step != TRACING_NOBODY ||
		    !__atomic_compare_exchange_n(&p->share->state, &is_new, KT_SHARE_TAKEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		*which = i;
		return p;
	}
	return NULL;
}

static void answer(struct tracing *t, const struct tracing_process *from,
		   struct kp_process_asker *asker)
{
	pid_t tid = (pid_t)__atomic_load_n(&asker->tid, __ATOMIC_RELAXED);
	long pid = tid > 0 ? remote_status_number(tid, tid, "Tgid", 10) : 0;
	struct parked *held = calloc(1, sizeof(*held));
	struct tracing_process *p = NULL;
	unsigned int which = 0;

	if (held && pid > 0 && tracing_has_memory((pid_t)pid, from))
		p = reserve(t, &which);
	if (p && parked_follow(held, (pid_t)pid, tid, getpid(), granted, over, asker)) {
		say(asker, KP_ASKS_NOT);
		p->held = held;
		tracing_arrived(t, which, (pid_t)pid);
		return;
	}
	free(held);
	if (p)
		__atomic_store_n(&p->share->state, KT_SHARE_NEW, __ATOMIC_RELEASE);
	/* A thread that still waits is told.  One that was granted its wish does not look again. */
	say(asker, __atomic_load_n(&asker->state, __ATOMIC_ACQUIRE) == KP_ASKS ? KP_ASKS_REFUSED
									      : KP_ASKS_NOT);
}

void tracing_answer(struct tracing *t)
{
	unsigned int i, k, nr = t->processes_nr;

	for (i = 0; i < nr; i++)
		for (k = 0; k < KP_PROCESS_ASKERS; k++) {
			struct kp_process_asker *asker = &t->processes[i].share->askers[k];
			uint32_t state = __atomic_load_n(&asker->state, __ATOMIC_ACQUIRE);

			if (state == KP_ASKS)
				answer(t, &t->processes[i], asker);
			else if (state == KP_ASKS_OVER)
				say(asker, KP_ASKS_NOT);
		}
}
