/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat/task.h - what is read of a task.
 *
 * Owns: the name of its state, which got underscores in 5.14.
 */
#ifndef KP_COMPAT_TASK_H
#define KP_COMPAT_TASK_H

#include <linux/sched.h>

#ifdef KP_HAS___state
#define kp_task_state __state
#else
#define kp_task_state state
#endif

#endif
