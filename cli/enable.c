// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * enable.c - switch probes on one by one.
 */
#include "cli.h"


static int run(const struct cli_args *args)
{
	struct cli_target target;
	int i, err, status = cli_open(&target, args, CLI_LOOK);

	if (status)
		return status;
	for (i = 0; i < args->nr; i++) {
		err = target.ops->switch_probe(&target, args->words[i], true);
		status = status ? status : err;
	}
	cli_close(&target);
	return status;
}

const struct cli_command cli_enable = {
	.name = "enable", .synopsis = "PLACE... [-p PID]",
	.summary = "enable the probes at a symbol, symbol+0xOFFSET or 0xADDRESS",
	.takes = CLI_TAKES_PID, .least = 1, .most = -1, .run = run,
};
