/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls_all.h - from now on, each system call of the program that may write is watched.
 *
 * Owns: the prototypes of calls_all.c.
 */
#ifndef KP_USER_CALLS_ALL_H
#define KP_USER_CALLS_ALL_H

#include "env.h"

int kp_user_calls_all(const char **reason);	/* from now on each that may write */

#endif
