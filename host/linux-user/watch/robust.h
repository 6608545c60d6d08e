/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * robust.h - what the kernel writes when a thread ends, on protected pages.
 *
 * Owns: the prototypes of robust.c.
 */
#ifndef KP_USER_ROBUST_H
#define KP_USER_ROBUST_H

#include "env.h"

/* The calling thread's last system call. */
void kp_user_robust_end(void);

#endif
