/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * backtrace.h - what unwinders report of hooked calls.
 *
 * Owns: the prototypes of backtrace.c.
 */
#ifndef KP_USER_BACKTRACE_H
#define KP_USER_BACKTRACE_H

#include "env.h"

/* Objects have come, or one has gone. */
void kp_user_frames_loaded(void);
void kp_user_frames_gone(uintptr_t start, size_t len);

#endif
