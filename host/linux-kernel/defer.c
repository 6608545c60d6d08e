// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * defer.c - work put off.
 *
 * Owns: the delayed work that calls kp_core_on_deferred.
 *
 * Locks: none; the core asks under the registry lock, which the work takes, so
 * kp_host_defer_stop is called without it.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include "local.h"

static void on_work(struct work_struct *unused)
{
	kp_core_on_deferred();
}
static DECLARE_DELAYED_WORK(work, on_work);

/* Changing much text takes long: not on the queue of those who are short. */
int kp_host_defer(unsigned int ms)
{
	queue_delayed_work(system_long_wq, &work, msecs_to_jiffies(ms));
	return 0;
}

/* Also stops one that asks for the next. */
void kp_host_defer_stop(void)
{
	cancel_delayed_work_sync(&work);
}
