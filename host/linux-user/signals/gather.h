/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gather.h - starting in a process that already has threads.
 *
 * Owns: the prototypes of gather.c.
 */
#ifndef KP_USER_GATHER_H
#define KP_USER_GATHER_H

#include "sys.h"

void kp_user_on_gather(int sig, siginfo_t *info, void *context);

/* Bring all other threads to a known place meanwhile. */
int kp_user_gather(int (*fn)(void));
bool kp_user_alone(void);			/* no other thread; not in a handler */

#endif
