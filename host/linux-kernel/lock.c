// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lock.c - the registry lock and the text lock.
 *
 * Owns: both.  Taken in that order; the kernel's own text lock (text.c) comes last.
 */
#include <linux/lockdep.h>
#include "local.h"

static DEFINE_MUTEX(registry_lock);
static DEFINE_MUTEX(text_lock);

static struct mutex *lock_of(enum kp_host_lock lock)
{
	return lock == KP_LOCK_TEXT ? &text_lock : &registry_lock;
}

void kp_host_lock(enum kp_host_lock lock)
{
	/* Two statements, so that lockdep sees two places. */
	if (lock == KP_LOCK_TEXT)
		mutex_lock(&text_lock);
	else
		mutex_lock(&registry_lock);
}

void kp_host_unlock(enum kp_host_lock lock)
{
	mutex_unlock(lock_of(lock));
}

void kp_host_assert_locked(enum kp_host_lock lock)
{
	WARN_ONCE(!mutex_is_locked(lock_of(lock)),
		  "kprobes: lock %d is not held\n", lock);
}
