// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unload.c - unloading probe modules.
 *
 * Owns: the subcommand unload.
 */
#include "cli.h"


static int run(const struct cli_args *args)
{
	struct cli_target target;
	int i, err, status;

	if (!args->nr != args->all) {
		cli_error("name the probe modules to unload, or give -a for all of them");
		return CLI_USAGE;
	}
	status = cli_open(&target, args, CLI_LOOK);
	if (status)
		return status;
	if (args->all)
		status = target.ops->unload_all(&target);
	for (i = 0; i < args->nr; i++) {
		err = target.ops->unload(&target, args->words[i]);
		status = status ? status : err;
	}
	cli_close(&target);
	return status;
}

const struct cli_command cli_unload = {
	.name = "unload", .synopsis = "PROBE... | -a [-p PID]",
	.summary = "unload probe modules; the last one leaves a process as it was",
	.takes = CLI_TAKES_PID | CLI_TAKES_ALL, .most = -1, .run = run,
	.help =
		"With or without .so, with or without the directory.\n",
};
