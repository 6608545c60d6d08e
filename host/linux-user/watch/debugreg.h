/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * debugreg.h - debug registers in a process.
 *
 * Owns: the prototypes of debugreg.c.
 */
#ifndef KP_USER_DEBUGREG_H
#define KP_USER_DEBUGREG_H

#include "sys.h"

/* The code of a SIGTRAP that a debug register has made. */
#define KP_SI_PERF 6			/* TRAP_PERF */
bool kp_user_watch_own(const siginfo_t *info);		/* any context */
bool kp_user_watch_ignored(const siginfo_t *info, const ucontext_t *uc);
uintptr_t kp_user_watch_addr(const siginfo_t *info, bool *late);
void kp_user_watch_fork(void);

#endif
