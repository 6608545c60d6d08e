/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exec.h - executable memory near the code that it serves.
 *
 * Owns: the prototypes of exec.c.
 */
#ifndef KP_USER_EXEC_H
#define KP_USER_EXEC_H

#include "env.h"

bool kp_user_exec_owns(uintptr_t addr);
void kp_user_exec_locked(void);		/* the registry lock was just taken */

#endif
