/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sink.h - other destinations of the log.
 *
 * Owns: the prototypes of sink.c.
 */
#ifndef KP_USER_SINK_H
#define KP_USER_SINK_H

#include "env.h"

int kp_user_sink_init(void);
void kp_user_sink_end(void);
void kp_user_sink_fork(void);

#endif
