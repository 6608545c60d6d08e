/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * init.h - start and end of the engine in a process.
 *
 * Owns: the prototypes of init.c.
 */
#ifndef KP_USER_INIT_H
#define KP_USER_INIT_H

#include "sys.h"

/* In parts, for attach.c: all but the host's breakpoints; and back. */
int kp_user_prepare(sys_sigset mask);
int kp_user_clear(void);
int kp_user_disarm(void);
void kp_user_finish(void);
void kp_user_end(void);

#endif
