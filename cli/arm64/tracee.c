// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tracee.c - stopped threads on arm64.
 *
 * Owns: reading and writing their registers.
 */
#include "ptracer.h"

#include <linux/elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define NT_CALL 0x404			/* NT_ARM_SYSTEM_CALL */
#define NT_TLS 0x401			/* NT_ARM_TLS */

/* ---- reading and writing ----------------------------------------------------------- */

static int get(pid_t tid, int set, void *to, size_t len)
{
	struct iovec part = { to, len };

	return ptrace(PTRACE_GETREGSET, tid, set, &part) ? errno : 0;
}

static int put(pid_t tid, int set, const void *from, size_t len)
{
	struct iovec part = { (void *)(uintptr_t)from, len };

	return ptrace(PTRACE_SETREGSET, tid, set, &part) ? errno : 0;
}

int tracee_read(pid_t tid, struct tracee_regs *regs)
{
	int32_t number;
	int err = get(tid, NT_PRSTATUS, regs->x, offsetof(struct tracee_regs, tls));

	if (!err)
		err = get(tid, NT_TLS, &regs->tls, sizeof(regs->tls));
	if (!err)
		err = get(tid, NT_CALL, &number, sizeof(number));
	if (err)
		return err;
	regs->number = regs->call = number;
	if (number < 0 && tracee_peek(tid, regs->pc) == TRACEE_CALL)
		regs->call = (int32_t)regs->x[TRACEE_NUMBER];
	return 0;
}

int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	int32_t number = (int32_t)regs->number;
	int err = put(tid, NT_PRSTATUS, regs->x, offsetof(struct tracee_regs, tls));

	return err ? err : put(tid, NT_CALL, &number, sizeof(number));
}
