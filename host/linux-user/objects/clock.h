/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock.h - the time, for handlers.
 *
 * Owns: the prototypes of clock.c.
 */
#ifndef KP_USER_CLOCK_H
#define KP_USER_CLOCK_H

#include "env.h"

void kp_user_clock_init(void);
void kp_user_clock_find(void);		/* a faster one; registry lock */
void kp_user_clock_alone(void);		/* a system call may kill from now on; any context */
int64_t kp_user_clock(void);		/* CLOCK_MONOTONIC; any context */

#endif
