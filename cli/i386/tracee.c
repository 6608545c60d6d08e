// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tracee.c - stopped threads on i386.
 *
 * Owns: reading their registers, and where gs leads.
 */
#include "ptracer.h"

#include <asm/ldt.h>

#define GET_THREAD_AREA 25		/* PTRACE_GET_THREAD_AREA */

/* 0: nowhere, or into a table of the program's own. */
static unsigned long base_of(pid_t tid, unsigned int selector)
{
	struct user_desc area = { 0 };

	if (selector & 4 ||
	    ptrace((enum __ptrace_request)GET_THREAD_AREA, tid, selector >> 3, &area))
		return 0;
	return area.base_addr;
}

int tracee_read(pid_t tid, struct tracee_regs *regs)
{
	if (ptrace(PTRACE_GETREGS, tid, 0, &regs->user))
		return errno;
	regs->tls = base_of(tid, (unsigned int)regs->user.xgs & 0xffff);
	return 0;
}
