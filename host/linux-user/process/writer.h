/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * writer.h - who writes text.
 *
 * Owns: the prototypes of writer.c.
 */
#ifndef KP_USER_WRITER_H
#define KP_USER_WRITER_H

#include "env.h"
#include "freestanding/heap.h"

struct kp_user_thread;

int kp_user_write_call(int (*fn)(void *), void *arg);	/* run by one of them */
void kp_user_write_after(void (*fn)(void));	/* by the asker, after each; on the trap path */
/* By a new one, whose table has number keep, too (-1: none). */
int kp_user_write_apart(int keep, int (*fn)(void *), void *arg);
void kp_user_drop_capabilities(void);	/* the calling thread's */
bool kp_user_has_own_files(void);	/* has the calling thread? */
long kp_user_mem(void);			/* the calling thread's; or negative */
void kp_user_mem_set(long fd);
bool kp_user_is_writer(void);
struct kp_user_thread *kp_user_writer_client(uintptr_t sp);	/* who asked it, or NULL; any context */
/*
 * fn run by one that stays, with what it has opened, when fn returns 0: in *held,
 * until it is let go.
 */
int kp_user_hold(int (*fn)(void *), void *arg, void **held);
void kp_user_let_go(void *held);
bool kp_user_is_holder(int tid);		/* any context */
void kp_user_writer_apart(bool on);
void kp_user_writer_end(void);
void kp_user_writer_fork(void);
void kp_user_writer_each(kp_user_range_fn each, void *arg);	/* their stacks */
int kp_user_leave_files(int keep);	/* a file table with that alone; -1 */

#endif
