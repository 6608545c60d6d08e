/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * follow.h - probing programs that the process executes.
 *
 * Owns: the prototypes of follow.c.
 */
#ifndef KP_USER_FOLLOW_H
#define KP_USER_FOLLOW_H

#include "env.h"

/* The environment that a program which is executed gets. */
char **kp_user_follow(const char *path, char **env, bool trap_held);
void kp_user_follow_not(const char *path);	/* by a call that cannot be followed */
void kp_user_follow_again(const char *spec);	/* load -- COMMAND: with the same module */
void kp_user_follow_failed(void);		/* the program is still this one */

#endif
