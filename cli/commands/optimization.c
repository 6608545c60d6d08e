// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * optimization.c - allowing or forbidding jumps in place of breakpoints.
 *
 * Owns: the subcommand optimization.
 */
#include "cli.h"

static int run(const struct cli_args *args)
{
	return cli_turn_knob(args, CLI_KNOB_OPTIMIZATION);
}

const struct cli_command cli_optimization = {
	.name = "optimization", .synopsis = "[0|1] [-p PID]",
	.summary = "allow or forbid jumps in place of breakpoints, or print the state",
	.takes = CLI_TAKES_PID, .most = 1, .run = run,
};
