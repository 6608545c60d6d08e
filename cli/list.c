// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * list.c - the registered probes.
 *
 * Owns: the subcommand's two forms: lines as in the control file, and JSON.
 * Without -p: the kernel, if it has the engine, and every probed process.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print(void *arg, const char *line, size_t len)
{
	(void)arg;
	fwrite(line, 1, len, stdout);
}

static int run(const struct cli_args *args)
{
	struct cli_target target;
	int status = cli_open(&target, args, CLI_LOOK);

	if (status)
		return status;
	status = target.ops->list(&target, print, NULL);
	cli_close(&target);
	return status;
}

const struct cli_command cli_list = {
	.name = "list", .synopsis = "[-p PID] [--json]",
	.summary = "show the registered probes; without -p all of them",
	.takes = CLI_TAKES_PID | CLI_TAKES_JSON, .run = run,
};
