/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * action.h - the program's actions for the signals that we hold.
 *
 * Owns: the prototypes of action.c.
 */
#ifndef KP_USER_ACTION_H
#define KP_USER_ACTION_H

#include "sys.h"

struct sys_sigaction;

/* What the program installed for the signals that we hold. */
void kp_user_action_init(int sig, const struct sys_sigaction *act);
void kp_user_action_swap(int sig, const struct sys_sigaction *act,
			 struct sys_sigaction *old);
void kp_user_chain(int sig, siginfo_t *info, ucontext_t *uc);
void kp_user_send_self(int sig, siginfo_t *info);
bool kp_user_take_held(siginfo_t *out);	/* a SIGTRAP for any thread */

/* The kernel's record of sig is ours no more, if handler is. */
void kp_user_action_restore(int sig, const void *handler);

#endif
