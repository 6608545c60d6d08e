// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_start.c - a command that is started to be traced.
 *
 * Owns: the new process until its program may run, and its end when it may not.
 * There are three ways:
 *
 * - With probes in it, the process executes the program at once, with the library and
 *   trace.so, which waits before main (trace_share.c).  It gives up when the word
 *   that we hold says so, or that we are gone.
 * - A program that loads nothing itself is held before its first instruction (parked.c), and
 *   probed there like one that runs.
 * - Without probes, the process waits in our own code, for a byte from a pipe:
 *
 *   1. what can be said about the command is said before there is a process
 *   2. the process waits for the byte; if the pipe ends instead, it ends
 *   3. the byte is written, and the program executed, which closes the second pipe;
 *      what comes out of that pipe is the reason why it could not be executed
 *
 * Invariant: the script is compiled before the byte is written.  Only the controller
 * has the pipe's other end, and its death closes it: so a process that was not let
 * go never outlives the controller, and never executes anything.
 */
#include "attach_cli.h"
#include "parked.h"
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_US 1000

static struct {
	int go;				/* to the process: one byte; -1: none */
	int failed;			/* from it: an errno */
	bool let_go;			/* its program runs, or may */
	struct parked parked;		/* it waits there; pid 0: it does not */
	char path[4096];		/* of the program */
} child = { .go = -1, .failed = -1 };

/* ---- in the new process ------------------------------------------------------- */

/* Until the controller says go; it may be gone before this is reached. */
static void wait_for_byte(int go, pid_t controller)
{
	ssize_t got;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != controller)
		_exit(CLI_FAILED);
	do
		got = read(go, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(CLI_FAILED);
	/* It would be inherited. */
	prctl(PR_SET_PDEATHSIG, 0);
}

static void execute(char **command, int go, int failed, pid_t controller)
{
	ssize_t ignored;
	int err;

	wait_for_byte(go, controller);
	execvp(child.path, command);
	err = errno;
	ignored = write(failed, &err, sizeof(err));
	(void)ignored;
	_exit(CLI_FAILED);
}

static int execute_probed(struct tracing *t, const char *module)
{
	char fd[32];
	char *params[] = { fd, NULL };

	snprintf(fd, sizeof(fd), "fd=%d",
		 fcntl(t->processes[0].memory, F_DUPFD, 100));
	return cli_process_run(module, params, t->args->command);
}

/* ---- in the controller --------------------------------------------------------- */

static int wait_until_it_waits(struct tracing *t, struct tracing_process *p)
{
	int status;

	while (__atomic_load_n(&p->share->state, __ATOMIC_ACQUIRE) ==
	       KT_SHARE_NEW) {
		if (waitpid(p->pid, &status, WNOHANG) == p->pid) {
			p->pid = 0;
			/* With a status of ours it has said why. */
			if (WIFEXITED(status) && WEXITSTATUS(status))
				return WEXITSTATUS(status);
			cli_error("%s ended before a probe could be set",
				  t->args->command[0]);
			return CLI_FAILED;
		}
		if (tracing_is_asked_to_end())
			return CLI_FAILED;
		usleep(WAIT_US);
	}
	return CLI_OK;
}

static int start_probed(struct tracing *t, struct tracing_process *p)
{
	const char *module = tracing_module();

	if (!module)
		return CLI_FAILED;
	snprintf(t->ledger->module, sizeof(t->ledger->module), "%s", module);
	/* What waits in it sees from now on that we are gone. */
	tracing_hold(p);
	p->pid = fork();
	if (p->pid)
		return CLI_OK;
	tracing_own_signals();
	_exit(execute_probed(t, module));
}

static int start_waiting(struct tracing *t, struct tracing_process *p)
{
	pid_t controller = getpid();
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
		cli_error("no descriptors: %s", strerror(errno));
		return CLI_FAILED;
	}
	p->pid = fork();
	if (!p->pid) {
		close(go[1]);
		close(failed[0]);
		tracing_own_signals();
		execute(t->args->command, go[0], failed[1], controller);
	}
	close(go[0]);
	close(failed[1]);
	child.go = go[1];
	child.failed = failed[0];
	return CLI_OK;
}

static void close_pipes(void)
{
	if (child.go >= 0)
		close(child.go);
	if (child.failed >= 0)
		close(child.failed);
	child.go = child.failed = -1;
}

/* Why the program could not be executed; 0: that is not why. */
static int why_failed(const struct tracing *t)
{
	int err = 0;
	ssize_t got;

	do
		got = read(child.failed, &err, sizeof(err));
	while (got < 0 && errno == EINTR && !tracing_is_asked_to_end());
	close_pipes();
	if (!err)
		return CLI_OK;
	cli_error("%s: %s", t->args->command[0], strerror(err));
	return cli_status_of(err);
}

static int hold(struct tracing *t, struct tracing_process *p)
{
	bool ended = false;
	int status = parked_take(&child.parked, p->pid, child.go, getpid(), &ended);

	if (!ended) {
		close_pipes();
		return status;
	}
	p->pid = 0;
	status = why_failed(t);
	if (status)
		return status;
	cli_error("%s ended before a probe could be set", t->args->command[0]);
	return CLI_FAILED;
}

int tracing_start(struct tracing *t)
{
	struct tracing_process *p = &t->processes[0];
	bool by_image = false;
	int status = cli_find_program(t->args->command[0], child.path,
				      sizeof(child.path));

	if (!status && t->process)
		status = cli_check_program(child.path, &by_image);
	if (!status)
		status = t->process && !by_image ? start_probed(t, p) : start_waiting(t, p);
	if (status)
		return status;
	if (p->pid < 0) {
		cli_error("no process: %s", strerror(errno));
		return CLI_FAILED;
	}
	t->started = true;
	p->there = TRACING_THERE;
	if (by_image)
		return hold(t, p);
	return t->process ? wait_until_it_waits(t, p) : CLI_OK;
}

/* Nothing of it has run. */
static int let_execute(struct tracing *t)
{
	child.let_go = true;
	/* It may have been killed: then its end is seen. */
	if (write(child.go, "", 1) == 1)
		return why_failed(t);
	close_pipes();
	return CLI_OK;
}

/* Its probes are set like those of one that runs. */
static int let_begin(struct tracing *t, struct tracing_process *p)
{
	int status = tracing_load(p, &t->ledger[0]);

	if (status)
		return status;
	child.let_go = true;
	return parked_let_go(&child.parked);
}

/* Until the module has set its probes. */
static int let_set_probes(struct tracing *t, struct tracing_process *p)
{
	uint32_t state;

	child.let_go = true;
	tracing_say_go(p, KT_SHARE_GO);
	do {
		usleep(WAIT_US);
		state = __atomic_load_n(&p->share->state, __ATOMIC_ACQUIRE);
	} while (state == KT_SHARE_GO && tracing_alive(t) &&
		 !tracing_is_asked_to_end());
	/* It may be over already. */
	if (state == KT_SHARE_ON || state == KT_SHARE_OFF)
		return CLI_OK;
	cli_error("%s: the program could not be started with probes: %.*s",
		  t->args->command[0], (int)sizeof(p->share->text),
		  p->share->text);
	return CLI_FAILED;
}

int tracing_let_go(struct tracing *t)
{
	if (child.parked.pid)
		return let_begin(t, &t->processes[0]);
	return t->process ? let_set_probes(t, &t->processes[0]) : let_execute(t);
}

void tracing_give_up(struct tracing *t)
{
	struct tracing_process *p = &t->processes[0];

	if (!t->started)
		return;
	close_pipes();
	if (p->pid <= 0 || waitpid(p->pid, NULL, WNOHANG) != 0)
		return;
	/* No instruction of its main has been executed: it has nothing to clear up. */
	kill(p->pid, child.let_go ? SIGTERM : SIGKILL);
	kill(p->pid, SIGCONT);
	while (!child.let_go && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
