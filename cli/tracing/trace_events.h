/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_events.h - the kernel's tracepoints.
 */
#ifndef KP_CLI_TRACE_EVENTS_H
#define KP_CLI_TRACE_EVENTS_H

#include "tracing.h"

/* Is it one of those, none of a system call? */
bool events_are_meant(const struct trace_attach *attach);
/* Keep in mind that a script has it. */
void events_note(struct tracing *t, const struct trace_attach *attach);
/* All that a script has; before the jail closes. */
void events_read(struct tracing_names *n);
void events_free(struct tracing_names *n);
/* As trace_env.places() and args(). */
int events_places(struct tracing_names *n, const struct trace_attach *attach,
		  emit_fn emit, void *to, const char **why);
const struct trace_arg *events_args(struct tracing_names *n,
				    const struct trace_attach *attach,
				    uint32_t *nr, const char **why);
/* profile: */
int events_samples(const struct trace_attach *attach, emit_fn emit, void *to,
		   const char **why);

#endif
