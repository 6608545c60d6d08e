/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log_ring.h - the log: what probe modules and the engine say.
 *
 * Owns: the prototypes of log_ring.c.
 */
#ifndef KP_USER_LOG_RING_H
#define KP_USER_LOG_RING_H

#include "env.h"

/* A line for the log, heard by the client that is served; any context. */
void kp_user_say(const char *line, size_t len);
uint64_t kp_user_log_head(void);
long kp_user_log_take(uint64_t ticket, char *text);
void kp_user_hear_begin(void);
const char *kp_user_hear_end(size_t *len);
void kp_user_log_listen(void (*told)(void));	/* told, on the trap path: there are lines */

#endif
