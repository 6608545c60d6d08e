/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threads.h - the threads of the process, as /proc lists them.
 *
 * Owns: the prototypes of threads.c.
 */
#ifndef KP_USER_THREADS_H
#define KP_USER_THREADS_H

#include "env.h"

/*
 * Every thread but the caller's, and every name in a directory.  fn returns
 * true to stop.  1: it has; 0; or -errno.  Any context.
 */
int kp_user_each_thread(bool (*fn)(int tid, void *arg), void *arg);
int kp_user_each_entry(const char *dir, bool (*fn)(const char *name, void *arg),
		       void *arg);

#endif
