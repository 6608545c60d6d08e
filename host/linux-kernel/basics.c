// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * basics.c - memory, locks, messages.
 *
 * Owns: the registry lock and the text lock.  Taken in that order; the
 * kernel's own text lock (text.c) comes last.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "local.h"

static DEFINE_MUTEX(registry_lock);
static DEFINE_MUTEX(text_lock);

void *kp_host_alloc(size_t len)
{
	return kvzalloc(len, GFP_KERNEL);
}

void kp_host_free(void *mem)
{
	kvfree(mem);
}

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

/* Trap path included: the kernel defers the printing where it must. */
void kp_host_log(enum kp_host_level level, const char *fmt, ...)
{
	struct va_format text = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	text.va = &args;
	switch (level) {
	case KP_LOG_ERROR:
		printk(KERN_ERR "%pV\n", &text);
		break;
	case KP_LOG_WARN:
		printk(KERN_WARNING "%pV\n", &text);
		break;
	default:
		printk(KERN_INFO "%pV\n", &text);
	}
	va_end(args);
}

void kp_host_broken(const char *what)
{
	WARN_ONCE(1, "kprobes: %s\n", what);
}
