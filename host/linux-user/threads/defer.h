/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * defer.h - work put off.
 *
 * Owns: the prototypes of defer.c.
 */
#ifndef KP_USER_DEFER_H
#define KP_USER_DEFER_H

#include "env.h"

/* The registry lock was just dropped.  must_not: may the caller not make a thread? */
void kp_user_defer_unlocked(bool (*must_not)(void));
bool kp_user_defer_fork(void);
void kp_user_defer_rest(void);		/* no thread of it is there, or soon not */
int kp_user_defer_tid(void);		/* of the thread that it has, or 0 */
void kp_user_defer_now(void);		/* no thread of ours waits for work */

#endif
