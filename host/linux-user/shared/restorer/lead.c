// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lead.c - where handlers of the program return to, where the kernel is told that.
 *
 * Owns: their restorer.  Handlers that name none return to the kernel's own code, in the vdso
 * or a page of its own, which is not watched.  They get signal.S's; the program does not see
 * it.
 */
#include "machine.h"
#include "syscalls.h"

static void *restorer_of(const struct sys_sigaction *act)
{
#ifdef SYS_sigreturn
	if (!(act->flags & SA_SIGINFO))
		return (void *)kp_user_sigreturn_old;
#else
	(void)act;
#endif
	return (void *)kp_user_sigreturn;
}

static bool is_ours(const void *restorer)
{
#ifdef SYS_sigreturn
	if (restorer == (void *)kp_user_sigreturn_old)
		return true;
#endif
	return restorer == (void *)kp_user_sigreturn;
}

KP_TRAP_PATH void kp_user_lead_return(struct sys_sigaction *act)
{
	/* SIG_DFL and SIG_IGN return nowhere. */
	if ((act->flags & SYS_SA_RESTORER) || (uintptr_t)act->handler <= 1)
		return;
	act->restorer = restorer_of(act);
	act->flags |= SYS_SA_RESTORER;
}

KP_TRAP_PATH void kp_user_hide_return(struct sys_sigaction *act)
{
	if (!is_ours(act->restorer))
		return;
	act->flags &= ~SYS_SA_RESTORER;
	act->restorer = NULL;
}
