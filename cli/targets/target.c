// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * target.c - the target that a command line selects.
 *
 * Owns: the choice between process.c and kernel.c.
 */
#include "cli.h"

int cli_open(struct cli_target *target, const struct cli_args *args,
	     enum cli_need need)
{
	if (args->pid)
		return cli_process_open(target, args->pid, need);
	return cli_kernel_open(target, need);
}

void cli_close(struct cli_target *target)
{
	if (target->ops)
		target->ops->close(target);
	target->ops = NULL;
}
