/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_watch.h - for a host whose scripts watch no memory that they name while they
 * run: the duties of host.h.
 */
#ifndef KT_NO_WATCH_H
#define KT_NO_WATCH_H

static inline bool kt_host_watch(u64 addr, u64 len)
{
	(void)addr;
	(void)len;
	return false;
}

static inline void kt_host_unwatch(u64 addr)
{
	(void)addr;
}

#endif
