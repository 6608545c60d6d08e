/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_calls.h - the instructions with which a process calls the kernel.
 */
#ifndef KP_CLI_TRACE_CALLS_H
#define KP_CLI_TRACE_CALLS_H

#include "script.h"
#include "symbols.h"

enum { CALL_NUMBER, CALL_FIRST_ARG, CALL_PARTS = CALL_FIRST_ARG + 6 };

struct call_site {
	uint64_t behind;	/* the instruction behind it; 0: none is known */
	uint64_t place;		/* for a probe on its entry: there, or shortly before */
	int64_t number;		/* the only one that is asked for; -1: not known */
	bool joined;		/* a branch leads to behind, too */
	/* What the kernel is given, as seen at place; names and types are open. */
	struct trace_arg parts[CALL_PARTS];
};

/* All of a process, by address; to be freed.  0 or -ENOMEM. */
int tracing_call_sites(struct symbols *s, struct call_site **sites, size_t *nr);

#endif
