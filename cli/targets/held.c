// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * held.c - a new program that the command brings the engine and a module into.
 *
 * Owns: who does that.  This process becomes the program, so that its number, its parent and its
 * end are what the user sees.  A helper holds it before its first instruction (parked.c), loads
 * the module there as with -p, lets it go, and ends.  The helper is no child of the program's,
 * which may wait for any of its children.
 *
 * Invariant: the program is not executed before the helper says so, and does not begin without
 * the module: where the helper fails it ends with the helper's status, and where that is killed
 * it ends, too.
 */
#include "attach_cli.h"
#include "cli.h"
#include "parked.h"
#include "trial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct held {
	pid_t program;			/* this process */
	const char *file;		/* the module */
	char *const *params;
	int ours, helpers;		/* two ends of one line */
};

/* ---- the helper ------------------------------------------------------------------------ */

static int load(const struct held *h)
{
	struct cli_target target;
	int status = cli_process_open(&target, h->program, CLI_ATTACH);

	if (status)
		return status;
	status = target.ops->load(&target, h->file, h->params);
	cli_close(&target);
	return status;
}

static int help(const struct held *h)
{
	pid_t self = getpid();
	struct parked parked;
	bool ended = false;
	int status;
	char byte;

	/* That it may trace us is said there, and answered. */
	if (write(h->helpers, &self, sizeof(self)) != sizeof(self) ||
	    read(h->helpers, &byte, 1) != 1)
		return CLI_FAILED;
	status = parked_take(&parked, h->program, h->helpers, self, &ended);
	if (status)
		return status;
	status = load(h);
	if (status) {
		parked_end(&parked, status);
		return status;
	}
	return parked_let_go(&parked);
}

/* ---- the program ------------------------------------------------------------------------ */

static int start_helper(struct held *h)
{
	pid_t between = fork();

	if (between < 0) {
		cli_error("no process: %s", strerror(errno));
		return CLI_FAILED;
	}
	if (between) {
		while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
			;
		close(h->helpers);
		return CLI_OK;
	}
	/* Nobody here is told when the grandchild ends. */
	if (fork())
		_exit(0);
	close(h->ours);
	_exit(help(h));
}

static int wait_to_begin(const struct held *h)
{
	pid_t helper = 0;
	char byte;

	if (read(h->ours, &helper, sizeof(helper)) != sizeof(helper))
		return CLI_FAILED;
	/* Needed where only a parent may trace (Yama).  Elsewhere it fails, which does not matter. */
	prctl(PR_SET_PTRACER, (unsigned long)helper, 0, 0, 0);
	if (write(h->ours, "", 1) != 1 || read(h->ours, &byte, 1) != 1)
		return CLI_FAILED;
	return CLI_OK;
}

int cli_process_run_held(const char *file, char *const *params, char **command)
{
	struct held held = { .program = getpid(), .file = file, .params = params };
	int line[2], status = cli_trial(file, params);

	if (status)
		return status;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line)) {
		cli_error("no descriptors: %s", strerror(errno));
		return CLI_FAILED;
	}
	held.ours = line[0];
	held.helpers = line[1];
	fflush(NULL);
	status = start_helper(&held);
	if (!status)
		status = wait_to_begin(&held);
	/* The helper has said why. */
	if (status)
		return status;
	execvp(command[0], command);
	cli_error("%s: %s", command[0], strerror(errno));
	return cli_status_of(errno);
}
