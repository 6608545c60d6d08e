// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * enabled.c - arming or disarming all probes, and printing the state.
 *
 * Owns: the subcommand enabled.
 */
#include "cli.h"

static int run(const struct cli_args *args)
{
	return cli_turn_knob(args, CLI_KNOB_ENABLED);
}

const struct cli_command cli_enabled = {
	.name = "enabled", .synopsis = "[0|1] [-p PID]",
	.summary = "arm or disarm all probes, or print the state",
	.takes = CLI_TAKES_PID, .most = 1, .run = run,
};
