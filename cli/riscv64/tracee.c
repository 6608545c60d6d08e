// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tracee.c - stopped threads on riscv64.
 *
 * Owns: reading and writing their registers, and what kind of stop it is, which no
 * register tells.
 */
#include "ptracer.h"

#include <linux/elf.h>
#include <linux/ptrace.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/* At a call's entry a0 is its result already. */
int tracee_read(pid_t tid, struct tracee_regs *regs)
{
	struct iovec part = { regs->x, sizeof(regs->x) };
	struct __ptrace_syscall_info info = { .op = PTRACE_SYSCALL_INFO_NONE };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &part) ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
		return errno;
	regs->number = regs->call = -1;
	switch (info.op) {
	case PTRACE_SYSCALL_INFO_ENTRY:
		regs->number = regs->call = (int32_t)info.entry.nr;
		tracee_set_first(regs, info.entry.args[0]);
		break;
	case PTRACE_SYSCALL_INFO_EXIT:
		regs->number = regs->call = (int32_t)regs->x[TRACEE_NUMBER];
		break;
	default:
		if (tracee_peek(tid, tracee_ip(regs)) == TRACEE_CALL)
			regs->call = (int32_t)regs->x[TRACEE_NUMBER];
	}
	return 0;
}

int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	struct iovec part = { (void *)(uintptr_t)regs->x, sizeof(regs->x) };

	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &part) ? errno : 0;
}
