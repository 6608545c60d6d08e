/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * held.h - whether a tracer has the threads of the process.
 *
 * Owns: the prototypes of held.c.
 */
#ifndef KP_USER_HELD_H
#define KP_USER_HELD_H

#include "env.h"

bool kp_user_others_held(void);		/* by a tracer */
void kp_user_tracer_seen(bool seen);	/* can it be; and it begins to hold them */
bool kp_user_traced(void);		/* by a debugger, say */

#endif
