/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_syscalls.h - system calls as places of a script.
 */
#ifndef KP_CLI_TRACE_SYSCALLS_H
#define KP_CLI_TRACE_SYSCALLS_H

#include "tracing.h"

/* Is it one: syscall:, sysret:, tracepoint:? */
bool syscalls_are_meant(const struct trace_attach *attach);
/* As trace_env.places(), of those; kernel: where the kernel does them. */
int syscalls_places(struct tracing_names *n, uint32_t process, bool kernel,
		    const struct trace_attach *attach, emit_fn emit, void *to,
		    const char **why);
/* As trace_env.args(), at one of those places. */
const struct trace_arg *syscalls_args(struct tracing_names *n, uint32_t process,
				      bool kernel,
				      const struct trace_attach *attach,
				      uint32_t *nr);

#endif
