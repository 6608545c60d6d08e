// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_alive.c - whether traced processes live on as what they were.
 *
 * Owns: noticing that one has ended, has begun another program, or is being debugged.
 */
#include "attach_cli.h"
#include "tracing.h"

#include <string.h>
#include <sys/wait.h>

/* The library has noted what it executed, and cannot be followed (share.h). */
static void say_left(struct tracing_process *p)
{
	char path[sizeof(p->share->left_path)];

	/* Acquire: the path is there. */
	if (p->seen || !__atomic_load_n(&p->share->left, __ATOMIC_ACQUIRE))
		return;
	memcpy(path, p->share->left_path, sizeof(path));
	path[sizeof(path) - 1] = 0;
	cli_error("process %d has begun %s, which is not traced: what is of another architecture, gains rights, or is executed by its descriptor cannot be followed",
		  (int)p->pid, path[0] ? path : "another program");
	p->seen = true;
}

/* A debugger that has come takes the signals of breakpoints for its own. */
static void look_for_debugger(struct tracing_process *p)
{
	pid_t tracer = (pid_t)remote_status_number(p->pid, p->pid, "TracerPid", 10);
	char name[32];

	if (tracer <= 0 || tracer == p->debugged || tracer == ptracer_self() ||
	    !strcmp(remote_comm(tracer, name), "kprobes"))
		return;
	p->debugged = tracer;
	cli_error("process %d is being debugged by process %d (%s), which must pass SIGTRAP on (in gdb: handle SIGTRAP nostop noprint pass)",
		  (int)p->pid, (int)tracer, name);
}

static void look(struct tracing *t, unsigned int i)
{
	struct tracing_process *p = &t->processes[i];
	struct tracing_ledger *ledger = &t->ledger[i];

	look_for_debugger(p);
	if (t->started && !i ? waitpid(p->pid, NULL, WNOHANG) != 0 : tracing_has_ended(p)) {
		ledger->loaded = 0;
	} else if (tracing_has_changed(t, ledger)) {
		/* With its memory all that was ours is gone. */
		if (!t->follows)
			cli_error("process %d has executed another program, which is not traced",
				  (int)p->pid);
		ledger->loaded = 0;
	} else {
		if (ledger->loaded)
			tracing_look_at_places(p);
		return;
	}
	tracing_forget_places(p);
	p->there = TRACING_GONE;
	if (t->follows)
		say_left(p);
}

bool tracing_alive(struct tracing *t)
{
	unsigned int i, nr = 0;

	if (!t->processes_nr)
		return true;
	for (i = 0; i < t->processes_nr; i++) {
		if (t->processes[i].there == TRACING_THERE)
			look(t, i);
		nr += t->processes[i].there == TRACING_THERE;
	}
	return nr || tracing_follows_any(t);
}
