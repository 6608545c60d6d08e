// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * enabled.c - arm or disarm all probes, or say which.
 */
#include "cli.h"

#include <stdio.h>

static int show(struct cli_target *target)
{
	bool on;
	int status = target->ops->enabled(target, &on);

	if (!status)
		puts(on ? "1" : "0");
	return status;
}

static int run(const struct cli_args *args)
{
	struct cli_target target;
	int status = cli_open(&target, args, CLI_LOOK);

	if (status)
		return status;
	if (args->nr)
		status = target.ops->set_enabled(&target, args->words[0]);
	else
		status = show(&target);
	cli_close(&target);
	return status;
}

const struct cli_command cli_enabled = {
	.name = "enabled", .synopsis = "[0|1] [-p PID]",
	.summary = "arm or disarm all probes, or say which",
	.takes = CLI_TAKES_PID, .most = 1, .run = run,
};
