/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * thread_stack.h - which stack is a thread's own.
 *
 * Owns: the prototypes of thread_stack.c.
 */
#ifndef KP_USER_THREAD_STACK_H
#define KP_USER_THREAD_STACK_H

#include "env.h"

void kp_user_thread_stack_init(void);
/*
 * The stack that the C library made the thread with whose thread pointer that is; false: none
 * that could be told.
 */
bool kp_user_thread_stack(uintptr_t self, uintptr_t *start, size_t *len);
size_t kp_user_first_stack(uintptr_t *top);	/* the first thread's; *top 0: not known */
bool kp_user_is_threads(uintptr_t low, uintptr_t sp);	/* the calling one's own, all of it; any context */
bool kp_user_is_threads_stack(uintptr_t sp);
/* Another thread's own stack, which sp is on; false: sp is not, or it is not known. */
bool kp_user_stack_of(uintptr_t self, uintptr_t sp, uintptr_t *start, size_t *len);

#endif
