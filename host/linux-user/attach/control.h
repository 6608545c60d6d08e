/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * control.h - the endpoint that the kprobes command talks to.
 *
 * Owns: the prototypes of control.c.
 */
#ifndef KP_USER_CONTROL_H
#define KP_USER_CONTROL_H

#include "env.h"

struct kp_mailbox;

int kp_user_control_start(struct kp_mailbox *mailbox);

#endif
