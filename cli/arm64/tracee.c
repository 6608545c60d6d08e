// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tracee.c - stopped threads on arm64.
 *
 * Owns: reading and writing their registers; and x7, which the kernel shows otherwise at a
 * call's stops, and keeps for itself meanwhile.
 */
#include "tracer.h"

#include "calls.h"

#include "filter.h"

#include <linux/elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define NT_CALL 0x404			/* NT_ARM_SYSTEM_CALL */
#define NT_TLS 0x401			/* NT_ARM_TLS */
#define ENTRY_MS 2000

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

/* The instruction at addr; 0: it cannot be read. */
static uint32_t peek(pid_t tid, uint64_t addr)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, addr & ~7ull, NULL);
	if (errno)
		return 0;
	return (uint32_t)((uint64_t)word >> (addr & 4 ? 32 : 0));
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
	if (number < 0 && peek(tid, regs->pc) == TRACEE_CALL)
		regs->call = (int32_t)regs->x[TRACEE_NUMBER];
	return 0;
}

int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	int32_t number = (int32_t)regs->number;
	int err = put(tid, NT_PRSTATUS, regs->x, offsetof(struct tracee_regs, tls));

	return err ? err : put(tid, NT_CALL, &number, sizeof(number));
}

/* ---- x7 --------------------------------------------------------------------------------- */

/* Would a filter of the thread's not have that call?  Then it will not be borrowed. */
static bool is_filtered(pid_t tid, int call)
{
	struct seccomp_data data = { .nr = call, .arch = CALLS_AUDIT_ARCH };
	long mode = remote_status_number(tid, tid, "Seccomp", 10), nr, i;
	struct sock_filter *code;
	bool harms = mode == 1;

	for (i = 0; mode == 2 && !harms; i++) {
		nr = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);
		if (nr < 0)
			return !i;
		code = calloc((size_t)nr + 1, sizeof(*code));
		harms = !code || ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, code) < 0 ||
			kp_filter_harms(kp_filter_evaluate(code, (size_t)nr, &data));
		free(code);
	}
	return harms;
}

/* On, until it stops, as wanted: by our request, or at a call.  EAGAIN: for a signal. */
static int go(struct thread *thread, int how, bool at_call)
{
	int status, err;

	if (ptrace(how, thread->tid, 0, 0))
		return errno;
	thread->stopped = false;
	err = thread_wait(thread->tid, &status, ENTRY_MS);
	if (err)
		return err;
	thread->stopped = true;
	if (at_call ? WSTOPSIG(status) == (SIGTRAP | 0x80) : thread_is_event(status))
		return 0;
	if (!thread_is_event(status))
		thread->signal = WSTOPSIG(status);
	return EAGAIN;
}

/*
 * The thread makes a call that changes nothing, and is stopped behind that, before its
 * own call, with all its registers; then it comes to the entry again.
 */
int tracee_see_all(struct thread *thread)
{
	struct tracee_regs regs = thread->regs, seen;
	long call = thread->call;
	int err;

	if (is_filtered(thread->tid, SYS_gettid))
		return 0;
	regs.pc -= TRACEE_INSN_LEN;
	regs.number = SYS_gettid;
	err = tracee_write(thread->tid, &regs);
	if (!err && ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0))
		err = errno;
	if (err)
		return err;
	err = go(thread, PTRACE_CONT, false);
	if (err && err != EAGAIN)
		return err;
	if (tracee_read(thread->tid, &seen))
		return errno;
	/* Its result is not the program's. */
	regs.x[7] = seen.x[7];
	regs.number = -1;
	if (tracee_write(thread->tid, &regs))
		return errno;
	if (!err)
		err = go(thread, PTRACE_SYSCALL, true);
	if (err)
		return err;
	err = thread_read(thread);
	thread->regs.x[7] = regs.x[7];
	thread->call = call;
	return err;
}
