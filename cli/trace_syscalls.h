/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_syscalls.h - system calls as places of a script.
 */
#ifndef KP_CLI_TRACE_SYSCALLS_H
#define KP_CLI_TRACE_SYSCALLS_H

#include "tracing.h"

#include "names/names.h"

/* As trace_env.places(), of tracepoint:syscalls: and tracepoint:raw_syscalls:. */
int syscalls_places(struct tracing_names *n, const struct trace_attach *attach,
		    emit_fn emit, void *to, const char **why);
/* As trace_env.args(), at one of those places. */
const struct trace_arg *syscalls_args(struct names *names,
				      const struct trace_attach *attach,
				      uint32_t *nr);

#endif
