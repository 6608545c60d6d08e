/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_pages.h - the duties of watch.h for a host that cannot protect pages.
 *
 * Owns: the answer that there is no such thing.  One file of such a host includes it.
 */
#ifndef KP_NO_PAGES_H
#define KP_NO_PAGES_H

#include "watch.h"

int kp_host_watch_pages(struct kp_watch_range *range, const char **reason)
{
	(void)range;
	(void)reason;
	return -EOPNOTSUPP;
}

void kp_host_unwatch_pages(struct kp_watch_range *range)
{
	(void)range;
}

void kp_host_drop_pages(struct kp_watch_range *range)
{
	(void)range;
}

bool kp_host_watch_pages_near(const struct kp_watch_range *range)
{
	(void)range;
	return false;
}

bool kp_host_watch_pages_gone(const struct kp_watch_range *range)
{
	(void)range;
	return false;
}

#endif
