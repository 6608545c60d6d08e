/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log.h - the engine's messages.
 *
 * Owns: the prototypes of log.c.
 */
#ifndef KP_USER_LOG_H
#define KP_USER_LOG_H

#include "env.h"

void kp_user_log_init(void);

#endif
