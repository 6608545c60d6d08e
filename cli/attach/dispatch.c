// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dispatch.c - whether a thread uses syscall user dispatch.
 *
 * Owns: that question (PR_SET_SYSCALL_USER_DISPATCH, as Wine uses it).  Such a thread may make
 * system calls only in one range of code, which is not ours: the system calls of a hit would
 * come back to it as signals.  The kernel tells since 6.4.
 */
#include "attach_cli.h"
#include "cli.h"

#include <sys/ptrace.h>

#define GET_CONFIG 0x4211	/* PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG */

struct config {
	uint64_t mode, selector, offset, len;
};

int cli_dispatch_check(pid_t pid, pid_t tid)
{
	struct config config = { 0 };

	if (ptrace((enum __ptrace_request)GET_CONFIG, tid, sizeof(config),
		   &config) || !config.mode)
		return CLI_OK;
	return process_failed(
		pid, CLI_REFUSED,
		": its thread %d dispatches its system calls itself (PR_SET_SYSCALL_USER_DISPATCH), those of a hit, too; it cannot be probed while it does",
		(int)tid);
}
