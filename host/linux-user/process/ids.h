/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ids.h - the process that this memory is of, as it can be told at any time.
 *
 * Owns: the prototypes of ids.c.
 */
#ifndef KP_USER_IDS_H
#define KP_USER_IDS_H

#include "env.h"

/* Any context. */
void kp_user_ids_init(void);
void kp_user_ids_fork(void);
bool kp_user_ids_forked(void);		/* in a child that was not told of; any context */
void kp_user_ids_on_fork(void (*fn)(void));	/* by fork_check, in the child */
void kp_user_fork_check(void);		/* a fork that nobody told us of?  Any slow path, no lock held */
void kp_user_ids_filter(void);		/* a filter is in force from now on */
bool kp_user_filtered(void);
int kp_user_memory_pid(void);
bool kp_user_in_vfork_child(void);
bool kp_user_thread_over(int tid);
/* From the thread pointer to errno; written once at start. */
extern long kp_user_errno_offset __attribute__((visibility("hidden")));
#ifdef KP_IMAGE
/* Nobody's: no thread need have one, nor a thread pointer.  The value means nothing. */
extern int kp_user_errno_none __attribute__((visibility("hidden")));
#endif
static inline int *kp_user_errno(void)
{
#ifdef KP_IMAGE
	return &kp_user_errno_none;
#else
	return (int *)(void *)((char *)__builtin_thread_pointer() +
			       kp_user_errno_offset);
#endif
}

#endif
