/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signal_sets.h - sets of signals.
 *
 * Owns: the signals that the host holds, and those that a thread sends itself.
 */
#ifndef KP_USER_SIGNAL_SETS_H
#define KP_USER_SIGNAL_SETS_H

#include "sys.h"

#define KP_SIG_FAULTS	(SYS_SIG(SIGSEGV) | SYS_SIG(SIGBUS) | \
			 SYS_SIG(SIGFPE) | SYS_SIG(SIGILL))
#define KP_SIG_HELD	(SYS_SIG(SIGTRAP) | KP_SIG_FAULTS)
/* What a thread does to itself: blocked, it kills.  SIGSYS is a filter's. */
#define KP_SIG_OWN	(KP_SIG_HELD | SYS_SIG(SIGSYS))

/* The mask that the thread had, and will have again. */
static inline sys_sigset *kp_user_mask_of(ucontext_t *uc)
{
	return (sys_sigset *)(void *)&uc->uc_sigmask;
}

#endif
