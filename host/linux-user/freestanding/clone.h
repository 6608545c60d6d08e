/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clone.h - a thread of ours, by the kernel alone.
 *
 * Owns: the prototype of access.S's function, and what such a thread shares with its maker.
 */
#ifndef KP_USER_CLONE_H
#define KP_USER_CLONE_H

#include <sched.h>

/* All of it; the kernel keeps the thread's number at tid, and clears it at the end. */
#define KP_CLONE_THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/*
 * A thread that begins with fn(arg), which never returns, below stack.  It has the caller's
 * thread pointer and signal mask.  Its number, or -errno.  Any context.
 */
long kp_user_clone(unsigned long flags, void *stack, int *tid, void (*fn)(void *arg), void *arg);

#endif
