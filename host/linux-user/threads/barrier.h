/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * barrier.h - barriers on all processors that execute this process.
 *
 * Owns: the prototypes of barrier.c.
 */
#ifndef KP_USER_BARRIER_H
#define KP_USER_BARRIER_H

#include "env.h"

void kp_user_barrier_init(void);
void kp_user_barrier(void);		/* of memory, in all threads */

#endif
