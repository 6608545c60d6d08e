// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kernel.c - the kernel as a target.
 */
#include "cli.h"

int cli_kernel_open(struct cli_target *target, enum cli_need need)
{
	(void)target;
	(void)need;
	cli_error("the kernel is not reached from here yet; name a process with -p PID");
	return CLI_REFUSED;
}
