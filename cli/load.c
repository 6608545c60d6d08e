// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * load.c - put a probe module into a target.
 *
 * Owns: the subcommand; a new process gets the library and the module by its
 * environment (process.c), everything else goes through the target.
 */
#include "cli.h"
#include "expand.h"

static int run(const struct cli_args *args)
{
	struct cli_target target;
	int status = cli_expand_params(args);

	if (status)
		return status;
	if (args->command)
		return cli_process_run(args->words[0], args->words + 1,
				       args->command);
	status = cli_open(&target, args, CLI_ATTACH);
	if (status)
		return status;
	status = target.ops->load(&target, args->words[0], args->words + 1);
	cli_close(&target);
	return status;
}

const struct cli_command cli_load = {
	.name = "load",
	.synopsis = "PROBE.so|PROBE.ko [PARAM=VALUE...] [-p PID | -- COMMAND...]",
	.summary = "load a probe module into a process or the kernel",
	.takes = CLI_TAKES_PID | CLI_TAKES_COMMAND,
	.least = 1, .most = -1, .run = run,
};
