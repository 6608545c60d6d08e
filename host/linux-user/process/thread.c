// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * thread.c - what each thread has of its own, in a library that is linked.
 *
 * Owns: the thread-local variable.  The assembly finds it by its name (env_asm.h).
 */
#include "thread.h"

#ifndef KP_THREAD_TABLE

__thread struct kp_user_thread kp_user_thread_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
#endif
