// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_session.c - a script at work, from its begin to its end.
 *
 * Owns: the three processes, and the end: the script's own, the target's, a signal's
 * (trace_signals.c).  They talk by the mail (trace_mail.c).
 *
 *   the face        what the user started: passes signals on, and clears up when the
 *                   controller is killed
 *   the controller  attaches, loads, leaves; it ends when the face is killed
 *   the reader      trace_reader.c; in the jail, if it reads a process
 *
 * Programs come out of the jail, so they are not looked at here: who executes them
 * proves them.
 */
#include "attach_cli.h"
#include "jail.h"
#include "source.h"
#include "tracing.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PASS_MS 20			/* between looks at everything else */
#define STEP_MS 2			/* ... while the other side is waited for */

/* ---- the controller ------------------------------------------------------------ */

/* The reader's next step; false: it ends before. */
static bool wait_for(struct tracing *t, struct jail *jail,
		     enum tracing_state state)
{
	while (tracing_state(t) < state) {
		tracing_stream_pass(t);
		if (tracing_is_asked_to_end() || !jail_pass(jail, STEP_MS))
			return false;
	}
	return true;
}

static int make_ready(struct tracing *t)
{
	int status = CLI_OK, i;

	for (i = 0; i < TRACING_PIECES; i++) {
		t->len_of[i] = t->mail->len[i];
		if (t->len_of[i] > TRACING_PROGRAM_MAX) {
			cli_error("the script has too many probes");
			return CLI_REFUSED;
		}
	}
	if (t->process)
		status = tracing_grow(t);
	if (!status && t->kernel)
		status = tracing_kernel_load(t);
	return status;
}

static int set_probes(struct tracing *t)
{
	int status = CLI_OK;

	if (t->kernel)
		status = tracing_kernel_start(t);
	if (!status && t->process)
		status = tracing_attach(t);
	else if (!status && t->started)
		status = tracing_let_go(t);
	return status;
}

static int load(struct tracing *t, struct jail *jail)
{
	int status;

	if (!wait_for(t, jail, TRACING_COMPILED))
		return CLI_OK;
	status = make_ready(t);
	if (status)
		return status;
	tracing_say(t, TRACING_READY);
	if (!wait_for(t, jail, TRACING_BEGUN) || t->mail->wants_end)
		return CLI_OK;
	status = set_probes(t);
	if (status)
		return status;
	if (t->args->verbose)
		cli_error("the probes are set");
	tracing_say(t, TRACING_LOADED);
	return CLI_OK;
}

/* The jail may not ask the terminal. */
static void measure_screen(struct tracing *t)
{
	struct winsize size;

	if (!t->live || !*t->top.home || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	t->mail->rows = size.ws_row;
	t->mail->columns = size.ws_col;
}

static void watch(struct tracing *t, struct jail *jail)
{
	while (!tracing_is_asked_to_end() && !t->mail->wants_end && tracing_alive(t)) {
		if (t->follows)
			tracing_answer(t);
		tracing_follow(t);
		measure_screen(t);
		__atomic_store_n(&t->mail->shows, tracing_shows(), __ATOMIC_RELAXED);
		tracing_stream_pass(t);
		if (!jail_pass(jail, t->follows ? STEP_MS : PASS_MS))
			return;
	}
}

static int converse(struct tracing *t, struct view *views)
{
	int status = CLI_OK, end;
	struct jail jail;

	if (jail_start(&jail, views, t->process ? t->processes_nr : 0,
		       t->guests, t->kernel_file, NULL, &status)) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGUSR1, SIG_IGN);
		t->kernel_file = jail_kept();
		munmap(t->ledger, TRACING_PROCESSES * sizeof(*t->ledger));
		munmap(t->kin, TRACING_KIN * sizeof(*t->kin));
		t->ledger = NULL;
		t->kin = NULL;
		exit(tracing_give_head_up(t) ? tracing_read(t, views) : CLI_FAILED);
	}
	if (status)
		return status;
	/* Here what the reader prints is written; a command that was started keeps its own. */
	if (t->out >= 0)
		dup2(t->out, STDOUT_FILENO);
	status = load(t, &jail);
	t->mail->failed = status != CLI_OK;
	if (tracing_state(t) == TRACING_LOADED)
		watch(t, &jail);
	tracing_kernel_stop(t);
	end = tracing_leave(t);
	status = status ? status : end;
	tracing_say(t, TRACING_OVER);
	/* It may wait for a file system that never answers. */
	while (!jail.wrong && jail_pass(&jail, PASS_MS)) {
		tracing_stream_pass(t);
		if (tracing_is_asked_again())
			tracing_acts_stop(t);
		if (tracing_is_asked_again())
			jail.wrong = "they were not read to the end: a second signal came";
	}
	end = jail_end(&jail);
	if (!status && !end)
		status = tracing_stream_end(t);
	return status ? status : end;
}

/* One that cannot be looked into is left out; the others need not wait for it. */
static int view_all(struct tracing *t, struct view *views)
{
	struct tracing_process left;	/* its memory is there for another one */
	struct cli_args source = { 0 };
	int status = CLI_OK, one;
	unsigned int i, nr = 0;

	for (i = 0; i < t->processes_nr; i++) {
		struct tracing_process *p = &t->processes[i];

		p->handle = *t->listed ? -1 : pidfd_open(p->pid, 0);
		source.pid = p->pid;
		source.binary = *t->listed ? t->listed : NULL;
		one = cli_source_view(&views[nr], &source);
		status = one ? one : status;
		if (one) {
			p->pid = 0;
			continue;
		}
		left = t->processes[nr];
		t->processes[nr++] = *p;
		if (nr <= i)
			*p = left;
	}
	t->processes_nr = nr;
	return nr ? CLI_OK : status;
}

static void close_all(const struct tracing *t, struct view *views)
{
	unsigned int i;

	for (i = 0; t->process && i < t->processes_nr; i++)
		view_close(&views[i]);
}

static int control(struct tracing *t)
{
	static struct view views[TRACING_PROCESSES];
	int status = CLI_OK;

	if (t->args->command)
		status = tracing_start(t);
	if (t->params == t->own_params && t->started)
		snprintf(t->pid_text, sizeof(t->pid_text), "%d",
			 (int)t->processes[0].pid);
	if (!status && t->kernel)
		status = tracing_kernel_open(t);
	if (!status)
		status = tracing_acts_begin(t);
	if (!status && t->process)
		status = view_all(t, views);
	if (!status && t->process)
		tracing_later_find(t, views);
	if (!status && t->follows)
		status = tracing_follow_begin(t);
	if (!status) {
		status = converse(t, views);
		close_all(t, views);
	}
	tracing_acts_end(t);
	tracing_give_up(t);
	return status;
}

/* ---- the face ----------------------------------------------------------------- */

/* The kernel's probes end with the last who has their file open. */
static int wait_for_controller(struct tracing *t, pid_t controller)
{
	int status;

	while (waitpid(controller, &status, 0) < 0)
		if (errno != EINTR)
			return CLI_FAILED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	tracing_pass_signals_to(0);
	cli_error("tracing was ended by a signal (%s); its probes %s", strsignal(WTERMSIG(status)),
		  tracing_leave(t) ? "are not all gone" : "are gone");
	return CLI_FAILED;
}

int tracing_run(struct tracing *t)
{
	pid_t face = getpid(), controller;
	int status = tracing_mail(t);

	t->follows = t->process && (t->args->follow || t->args->command);
	if (!status && t->process)
		status = tracing_memory(t);
	if (status)
		return status;
	tracing_hear_signals();
	fflush(stdout);
	controller = fork();
	if (controller < 0) {
		cli_error("no process: %s", strerror(errno));
		return CLI_FAILED;
	}
	if (controller) {
		tracing_pass_signals_to(controller);
		return wait_for_controller(t, controller);
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != face)
		_exit(CLI_FAILED);
	exit(control(t));
}
