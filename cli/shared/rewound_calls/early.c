// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * early.c - calls that a stop has ended, where no register tells it.
 *
 * Owns: how it is told from where the thread slept a moment before.
 */
#include "ptracer.h"

#include "calls.h"

/*
 * Is it where it slept, and nothing but the first argument is other than it was?  A sleep that
 * was taken up again has, or has not, another number in its register.
 */
static bool is_same(const struct tracee_regs *regs, const struct rest *rest)
{
	unsigned int i;

	for (i = 1; i < 6; i++)
		if (tracee_arg(regs, i) != rest->args[i])
			return false;
	return tracee_sp(regs) == rest->sp && (rest->call == SYS_restart_syscall ||
					       (long)regs->x[TRACEE_NUMBER] == rest->call);
}

bool tracee_has_ended_early(pid_t tid, struct tracee_regs *regs,
			    const struct rest *rest)
{
	(void)tid;
	if (!rest || regs->number >= 0 || !is_same(regs, rest))
		return false;
	if (tracee_ip(regs) == rest->pc - tracee_call_len(regs) &&
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
