// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * disable.c - disabling single probes.
 *
 * Owns: the subcommand disable.
 */
#include "cli.h"

static int run(const struct cli_args *args)
{
	return cli_turn_probes(args, false);
}

const struct cli_command cli_disable = {
	.name = "disable", .synopsis = "PLACE... [-p PID]",
	.summary = "disable the probes at a symbol, symbol+0xOFFSET or 0xADDRESS",
	.takes = CLI_TAKES_PID, .least = 1, .most = -1, .run = run,
	.help =
		"PLACE: as the list shows it, or by another name of the same function.\n",
};
