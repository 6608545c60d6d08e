/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * quiesce.h - waiting for other threads.
 *
 * Owns: the prototypes of quiesce.c.
 */
#ifndef KP_USER_QUIESCE_H
#define KP_USER_QUIESCE_H

#include "env.h"

void kp_user_nobody_inside(bool shown);		/* believe it */
void kp_user_quiesce_end(void);		/* the process ends: nothing is waited for long */

#endif
