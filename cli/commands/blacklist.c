// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * blacklist.c - the ranges that must not be probed.
 *
 * Owns: the subcommand blacklist.
 */
#include "cli.h"

#include <stdio.h>

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
	status = target.ops->blacklist(&target, print, NULL);
	cli_close(&target);
	return status;
}

const struct cli_command cli_blacklist = {
	.name = "blacklist", .synopsis = "[-p PID]",
	.summary = "show the ranges that must not be probed",
	.takes = CLI_TAKES_PID, .run = run,
};
