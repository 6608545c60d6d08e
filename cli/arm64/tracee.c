// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tracee.c - stopped threads on arm64.
 *
 * Owns: reading and writing their registers; what of a call that a stop has interrupted
 * is no more in them; and x7, which the kernel shows otherwise at a call's stops, and
 * keeps for itself meanwhile.
 */
#include "tracer.h"

#include "calls.h"
#include "insn.h"

#include "filter.h"

#include <linux/elf.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define NT_CALL 0x404			/* NT_ARM_SYSTEM_CALL */
#define NT_TLS 0x401			/* NT_ARM_TLS */
#define NUMBER_REG 8
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
	if (number < 0 && peek(tid, regs->pc) == TRACEE_SVC)
		regs->call = (int32_t)regs->x[NUMBER_REG];
	return 0;
}

int tracee_write(pid_t tid, const struct tracee_regs *regs)
{
	int32_t number = (int32_t)regs->number;
	int err = put(tid, NT_PRSTATUS, regs->x, offsetof(struct tracee_regs, tls));

	return err ? err : put(tid, NT_CALL, &number, sizeof(number));
}

/* ---- interrupted calls ---------------------------------------------------------------- */

/* A poll remembers its time in memory, an absolute time needs no memory. */
bool tracee_needs_restart(const struct tracee_regs *regs)
{
	uint64_t op = regs->x[1] & 0x7f;

	switch (regs->call) {
	case SYS_nanosleep:
		return true;
	case SYS_clock_nanosleep:
		return !(regs->x[1] & TIMER_ABSTIME);
	case SYS_futex:
		return (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) && regs->x[3];
	default:
		return false;
	}
}

/* Is it where it slept, and nothing but x0 is other than it was? */
static bool is_same(const struct tracee_regs *regs, const struct rest *rest)
{
	unsigned int i;

	for (i = 1; i < 6; i++)
		if (regs->x[i] != rest->args[i])
			return false;
	return regs->sp == rest->sp && (long)regs->x[NUMBER_REG] == rest->call;
}

bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
			    const struct rest *rest)
{
	(void)tid;
	if (!rest || regs->number >= 0 || !is_same(regs, rest))
		return false;
	if (regs->pc == rest->pc - TRACEE_INSN_LEN &&
	    regs->x[0] == rest->args[0]) {
		regs->call = rest->call;
		return false;
	}
	if (regs->pc != rest->pc || (long)regs->x[0] != -EINTR)
		return false;
	regs->x[0] = rest->args[0];
	regs->call = rest->call;
	return true;
}

bool tracee_at_instruction(const struct remote *remote,
			   const struct tracee_regs *regs)
{
	uint32_t insn;

	return !remote_read(remote, regs->pc - TRACEE_INSN_LEN, &insn, sizeof(insn)) &&
	       insn == TRACEE_SVC;
}

static bool is_breakpoint(uint32_t insn)
{
	return (insn & 0xffe0001f) == 0xd4200000;
}

bool tracee_at_covered(const struct remote *remote, struct tracee_regs *regs)
{
	uint32_t insn;

	if (remote_read(remote, regs->pc, &insn, sizeof(insn)) ||
	    !is_breakpoint(insn))
		return false;
	regs->pc += TRACEE_INSN_LEN;
	return true;
}

bool tracee_take_back(const struct remote *remote, const siginfo_t *info,
		      struct tracee_regs *regs, bool stands)
{
	uint32_t insn;

	return info->si_code == TRAP_BRKPT &&
	       (uint64_t)(uintptr_t)info->si_addr == regs->pc &&
	       !remote_read(remote, regs->pc, &insn, sizeof(insn)) &&
	       is_breakpoint(insn) == stands;
}

/* mov x8, #number, or of w8, in the straight code before the instruction. */
long tracee_restarted(const struct remote *remote, uint64_t ip)
{
	uint32_t code[16];
	long number;
	int i;

	if (remote_read(remote, ip - sizeof(code), code, sizeof(code)))
		return SYS_restart_syscall;
	for (i = (int)(sizeof(code) / sizeof(code[0])) - 1; i >= 0; i--) {
		number = code[i] >> 5 & 0xffff;
		if ((code[i] & 0x7fe0001f) == (0x52800000 | NUMBER_REG) &&
		    (number == SYS_nanosleep || number == SYS_clock_nanosleep ||
		     number == SYS_futex))
			return number;
	}
	return SYS_restart_syscall;
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
