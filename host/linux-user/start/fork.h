/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fork.h - the engine in a forked child.
 *
 * Owns: the prototypes of fork.c.
 */
#ifndef KP_USER_FORK_H
#define KP_USER_FORK_H

#include "env.h"

void kp_user_fork_init(void);

#endif
