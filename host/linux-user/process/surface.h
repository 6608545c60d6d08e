/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * surface.h - what the command finds in this memory, and leaves here.
 *
 * Owns: the prototypes of surface.c.
 */
#ifndef KP_USER_SURFACE_H
#define KP_USER_SURFACE_H

#include "env.h"

struct kp_mailbox;

struct kp_mailbox *kp_user_mailbox(void);	/* the command is attaching */
void kp_user_surface_running(void);		/* started without the command */
void kp_user_surface_fork(void);

#endif
