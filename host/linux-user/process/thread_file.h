/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_file.h - what /proc says of a thread.
 *
 * Owns: the prototypes of thread_file.c.
 */
#ifndef KP_USER_THREAD_FILE_H
#define KP_USER_THREAD_FILE_H

#include "env.h"

/* What the kernel says of a thread, no heap; false: nothing, or no /proc. */
bool kp_user_thread_file(int tid, const char *name, char *text, size_t room);

#endif
