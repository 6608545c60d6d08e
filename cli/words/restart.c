// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * restart.c - calls that a stop has interrupted, and hits.
 *
 * Owns: what of such a call is no more in the registers, and how its instruction is told.
 */
#include "tracer.h"

#include "calls.h"

#include <linux/futex.h>
#include <time.h>

/* A poll remembers its time in memory, an absolute time needs no memory. */
bool tracee_needs_restart(const struct tracee_regs *regs)
{
	uint64_t op = tracee_arg(regs, 1) & 0x7f;

	switch (regs->call) {
	case SYS_nanosleep:
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

/* Is it where it slept, and nothing but the first argument is other than it was? */
static bool is_same(const struct tracee_regs *regs, const struct rest *rest)
{
	unsigned int i;

	for (i = 1; i < 6; i++)
		if (tracee_arg(regs, i) != rest->args[i])
			return false;
	return tracee_sp(regs) == rest->sp &&
	       (long)regs->x[TRACEE_NUMBER] == rest->call;
}

bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
			    const struct rest *rest)
{
	(void)tid;
	if (!rest || regs->number >= 0 || !is_same(regs, rest))
		return false;
	if (tracee_ip(regs) == rest->pc - TRACEE_INSN_LEN &&
	    tracee_arg(regs, 0) == rest->args[0]) {
		regs->call = rest->call;
		return false;
	}
	if (tracee_ip(regs) != rest->pc || tracee_result(regs) != -EINTR)
		return false;
	tracee_set_first(regs, rest->args[0]);
	regs->call = rest->call;
	return true;
}

bool tracee_at_instruction(const struct remote *remote,
			   const struct tracee_regs *regs)
{
	uint32_t insn;

	return !remote_read(remote, tracee_ip(regs) - TRACEE_INSN_LEN, &insn,
			    sizeof(insn)) && insn == TRACEE_CALL;
}

bool tracee_at_covered(const struct remote *remote, struct tracee_regs *regs)
{
	uint32_t insn;

	if (remote_read(remote, tracee_ip(regs), &insn, sizeof(insn)) ||
	    !tracee_is_breakpoint(insn))
		return false;
	tracee_set_ip(regs, tracee_ip(regs) + TRACEE_INSN_LEN);
	return true;
}

bool tracee_take_back(const struct remote *remote, const siginfo_t *info,
		      struct tracee_regs *regs, bool stands)
{
	uint32_t insn;

	return info->si_code == TRAP_BRKPT &&
	       (uint64_t)(uintptr_t)info->si_addr == tracee_ip(regs) &&
	       !remote_read(remote, tracee_ip(regs), &insn, sizeof(insn)) &&
	       tracee_is_breakpoint(insn) == stands;
}

/* What sets the number, in the straight code before the instruction. */
long tracee_restarted(const struct remote *remote, uint64_t ip)
{
	static const long sleeps[] = { SYS_nanosleep, SYS_clock_nanosleep, SYS_futex };
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
