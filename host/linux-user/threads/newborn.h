/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * newborn.h - a thread of ours that is being made.
 *
 * Owns: the prototypes of newborn.c.
 */
#ifndef KP_USER_NEWBORN_H
#define KP_USER_NEWBORN_H

#include "env.h"

/* Is the calling thread, which has no context yet, one of ours?  Any context. */
bool kp_user_newborn(void);
int kp_user_newborn_make(size_t stack_len, void (*fn)(void));
void kp_user_newborn_begun(void);
void kp_user_newborn_fork(void);

#endif
