// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_attach.c - setting a script's probes in processes, and removing them.
 *
 * Owns: the order, for all processes of a trace.
 */
#include "attach_cli.h"
#include "tracing.h"

static int attach(struct tracing *t, unsigned int i)
{
	struct tracing_ledger *ledger = &t->ledger[i];
	struct tracing_process *p = &t->processes[i];
	int status;

	/* Whoever has its number by now is not who was meant. */
	if (!(t->started && !i) && tracing_has_ended(p)) {
		cli_error("process %d has ended", (int)p->pid);
		p->there = TRACING_GONE;
		return CLI_ABSENT;
	}
	ledger->pid = p->pid;
	tracing_count(t, i);
	status = t->started && !i ? tracing_let_go(t) : tracing_load(p, ledger);
	ledger->loaded = !status;
	ledger->image = remote_image(p->pid);
	if (status)
		tracing_uncount(t, i);
	p->there = status ? TRACING_GONE : TRACING_THERE;
	return status;
}

/* One that cannot be attached to does not keep the others from it. */
int tracing_attach(struct tracing *t)
{
	int status = CLI_ABSENT, one;
	unsigned int i, nr = 0;

	for (i = 0; i < t->processes_nr && !tracing_is_asked_to_end(); i++) {
		if (!tracing_is_wanted(t, i))
			continue;
		one = attach(t, i);
		nr += !one;
		status = one ? one : status;
	}
	return nr ? CLI_OK : status;
}

int tracing_leave(struct tracing *t)
{
	int one, status = CLI_OK;
	unsigned int i;

	tracing_follow_last(t);
	for (i = 0; i < TRACING_PROCESSES; i++) {
		one = tracing_leave_one(t, &t->ledger[i]);
		status = one ? one : status;
	}
	tracing_follow_leave(t);
	return status;
}
