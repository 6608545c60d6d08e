// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * restart.c - calls that a stop has interrupted, and hits.
 *
 * Owns: what of such a call is no more in the registers, and how its instruction is told.
 */
#include "ptracer.h"

#include "calls.h"

#include <linux/futex.h>
#include <sys/ptrace.h>
#include <time.h>

uint32_t tracee_peek(pid_t tid, uint64_t addr)
{
	const unsigned int shift = addr % sizeof(long) * 8, bits = sizeof(long) * 8;
	unsigned long word, next = 0;

	addr -= addr % sizeof(long);
	errno = 0;
	word = (unsigned long)ptrace(PTRACE_PEEKTEXT, tid, (void *)(uintptr_t)addr, NULL);
	if (shift + 32 > bits && !errno)
		next = (unsigned long)ptrace(PTRACE_PEEKTEXT, tid,
					     (void *)(uintptr_t)(addr + sizeof(long)), NULL);
	if (errno)
		return 0;
	return (uint32_t)(shift + 32 > bits ? word >> shift | next << (bits - shift)
					    : word >> shift);
}

/* ppoll() keeps its time in memory, an absolute time needs no memory. */
bool tracee_needs_restart(const struct tracee_regs *regs)
{
	uint64_t op = tracee_arg(regs, 1) & 0x7f;

	switch (calls_alike(regs->call, 0)) {
	case SYS_nanosleep:
	case SYS_poll:
		return true;
	case SYS_clock_nanosleep:
		return !(tracee_arg(regs, 1) & TIMER_ABSTIME);
	case SYS_futex:
		return (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) &&
		       tracee_arg(regs, 3);
	default:
		return false;
	}
}

static bool insn_at(const struct remote *remote, uint64_t addr, uint32_t *insn)
{
	return !remote_read(remote, addr, insn, sizeof(*insn));
}

bool tracee_at_instruction(const struct remote *remote,
			   const struct tracee_regs *regs)
{
	uint32_t insn;

	return insn_at(remote, tracee_ip(regs) - tracee_call_len(regs), &insn) &&
	       tracee_is_call(regs, insn);
}

bool tracee_at_covered(const struct remote *remote, struct tracee_regs *regs)
{
	uint32_t insn;

	if (!insn_at(remote, tracee_ip(regs), &insn) || !tracee_is_breakpoint(regs, insn))
		return false;
	tracee_set_ip(regs, tracee_ip(regs) + tracee_call_len(regs));
	return true;
}

bool tracee_take_back(const struct remote *remote, const siginfo_t *info,
		      struct tracee_regs *regs, bool stands)
{
	uint32_t insn;

	return tracee_is_hit(regs, info) && insn_at(remote, tracee_ip(regs), &insn) &&
	       tracee_is_breakpoint(regs, insn) == stands;
}

/* What sets the number, in the straight code before the instruction. */
long tracee_restarted(const struct remote *remote, uint64_t ip)
{
	static const long sleeps[] = {
		SYS_nanosleep, SYS_clock_nanosleep, SYS_poll, SYS_futex, CALLS_SLEEPS
	};
	uint16_t code[34];
	uint32_t insn;
	size_t i, n;

	if (remote_read(remote, ip - sizeof(code), code, sizeof(code)))
		return SYS_restart_syscall;
	for (i = sizeof(code) / sizeof(code[0]) - 1; i-- > 0;) {
		insn = code[i] | (uint32_t)code[i + 1] << 16;
		for (n = 0; n < sizeof(sleeps) / sizeof(sleeps[0]); n++)
			if (tracee_sets_number(insn, sleeps[n]))
				return sleeps[n];
	}
	return SYS_restart_syscall;
}
