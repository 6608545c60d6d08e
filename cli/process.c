// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * process.c - a process as a target.
 */
#include "cli.h"

int cli_process_open(struct cli_target *target, pid_t pid, enum cli_need need)
{
	(void)target;
	(void)need;
	cli_error("process %d has no endpoint", (int)pid);
	return CLI_REFUSED;
}

int cli_process_run(const char *file, char *const *params, char **command)
{
	(void)params;
	cli_error("%s cannot be started with %s yet", command[0], file);
	return CLI_FAILED;
}
