/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * defer.c - work put off.
 *
 * Owns: nothing yet: there is no worker thread, so the core does the work at
 * once.
 */
#include "user.h"

int kp_host_defer(unsigned int ms)
{
	(void)ms;
	return -ENOSYS;
}

void kp_host_defer_stop(void)
{
}
