// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * turn.c - switching knobs and probes.
 *
 * Owns: what the subcommands share that show or set a knob (enabled, optimization), and those
 * that switch probes (enable, disable).
 */
#include "cli.h"

#include <stdio.h>

static int show(struct cli_target *target, enum cli_knob knob)
{
	bool on;
	int status = target->ops->knob(target, knob, &on);

	if (!status)
		puts(on ? "1" : "0");
	return status;
}

int cli_turn_knob(const struct cli_args *args, enum cli_knob knob)
{
	struct cli_target target;
	int status = cli_open(&target, args, CLI_LOOK);

	if (status)
		return status;
	if (args->nr)
		status = target.ops->set_knob(&target, knob, args->words[0]);
	else
		status = show(&target, knob);
	cli_close(&target);
	return status;
}

int cli_turn_probes(const struct cli_args *args, bool on)
{
	struct cli_target target;
	int i, err, status = cli_open(&target, args, CLI_LOOK);

	if (status)
		return status;
	for (i = 0; i < args->nr; i++) {
		err = target.ops->switch_probe(&target, args->words[i], on);
		status = status ? status : err;
	}
	cli_close(&target);
	return status;
}
