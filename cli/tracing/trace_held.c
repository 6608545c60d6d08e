// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_held.c - programs that are executed by traced processes, and that have not begun.
 *
 * Owns: their begin.  Each is held (trace_asked.c), and probed like one that runs; in any case it
 * begins, with probes or without.
 */
#include "attach_cli.h"
#include "parked.h"
#include "tracing.h"

#include <stdlib.h>

void tracing_held_let_go(struct tracing_process *p)
{
	if (p->held)
		parked_let_go(p->held);
	free(p->held);
	p->held = NULL;
}

int tracing_held_probe(struct tracing_process *p, struct tracing_ledger *ledger)
{
	int status = tracing_load(p, ledger);

	tracing_held_let_go(p);
	return status;
}

void tracing_held_leave(struct tracing *t)
{
	unsigned int i;

	for (i = 0; i < TRACING_PROCESSES; i++)
		tracing_held_let_go(&t->processes[i]);
}
