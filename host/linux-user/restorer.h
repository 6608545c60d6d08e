/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * restorer.h - what the kernel is told of a signal's handler, where that names the code
 * that it returns through.
 *
 * Owns: struct sys_sigaction of such processors, and how handlers of ours return.  Their
 * machine.h includes it.
 */
#ifndef KP_USER_RESTORER_H
#define KP_USER_RESTORER_H

#include "sys.h"

struct sys_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	sys_sigset mask;
};
#define SYS_SA_RESTORER 0x04000000ul

SYS_INLINE long sys_sigaction(int sig, const struct sys_sigaction *act,
			      struct sys_sigaction *old)
{
	return sys4(SYS_rt_sigaction, sig, act, old, sizeof(sys_sigset));
}

#ifdef SYS_sigaction
/* What the older sigaction is given. */
struct sys_old_action {
	void *handler;
	unsigned long mask, flags;
	void *restorer;
};

static inline void kp_old_action_get(struct sys_sigaction *act, const struct sys_old_action *old)
{
	*act = (struct sys_sigaction){
		.handler = old->handler, .flags = old->flags, .restorer = old->restorer,
		.mask = old->mask,
	};
}

static inline void kp_old_action_put(struct sys_old_action *old, const struct sys_sigaction *act)
{
	*old = (struct sys_old_action){
		act->handler, (unsigned long)act->mask, act->flags, act->restorer
	};
}
#endif

extern void kp_user_restorer(void);		/* signal.S */
extern void kp_user_sigreturn(void);		/* ditto: jumped to, or returned to */

#ifdef SYS_sigreturn
extern void kp_user_sigreturn_old(void);	/* of handlers without SA_SIGINFO, whose frame is another one */
#endif

/* kp_user_on_NAME as the kernel calls it. */
#define KP_SIGNAL_ENTRY(name) ((void *)kp_user_on_##name)

static inline void kp_sig_returns(struct sys_sigaction *act)
{
	act->flags |= SYS_SA_RESTORER;
	act->restorer = (void *)kp_user_restorer;
}

/* It is known where handlers return to. */
static inline void kp_user_lead_start(void)
{
}

#endif
