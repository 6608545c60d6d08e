/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jumps.h - through jumps, or through breakpoints?
 *
 * A test that includes it runs through jumps; with T_BREAKPOINTS in its
 * environment, through breakpoints.  What it registers is that from
 * jumps_settle() on.
 */
#ifndef KP_LIVE_JUMPS_H
#define KP_LIVE_JUMPS_H

#include "live.h"
#include <kprobes/control.h>

static inline bool jumps_wanted(void)
{
	return !getenv("T_BREAKPOINTS");
}

struct jumps_at {
	const void *fn;			/* NULL: anywhere */
	int probes, jumps;
};

/* Where what a pointer to a function leads to stands. */
static inline unsigned long jumps_code(const void *fn)
{
#ifdef __arm__
	return (unsigned long)fn & ~1ul;	/* bit 0 says Thumb */
#else
	return (unsigned long)fn;
#endif
}

static inline void jumps_line(void *arg, const char *line, size_t len)
{
	struct jumps_at *at = arg;

	(void)len;
	if (at->fn && strtoul(line, NULL, 16) != jumps_code(at->fn))
		return;
	at->probes++;
	at->jumps += strstr(line, "[OPTIMIZED]") != NULL;
}

/* How many of the probes at fn's first instruction are jumps? */
static inline struct jumps_at jumps_count(const void *fn)
{
	struct jumps_at at = { .fn = fn };

	kprobes_list(jumps_line, &at);
	return at;
}

/* All probes at fn are what is wanted. */
static inline bool jumps_settle(const void *fn)
{
	struct jumps_at at;

	kprobes_flush();
	at = jumps_count(fn);
	return at.probes && at.jumps == (jumps_wanted() ? at.probes : 0);
}

static inline void jumps_begin(void)
{
	kprobes_set_optimization(jumps_wanted());
	printf("# through %s\n", jumps_wanted() ? "jumps" : "breakpoints");
}

#endif
