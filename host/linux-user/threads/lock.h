/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lock.h - the registry lock and the text lock.
 *
 * Owns: the prototypes of lock.c.
 */
#ifndef KP_USER_LOCK_H
#define KP_USER_LOCK_H

#include "host.h"

/* What files above do with the registry lock; given at the start. */
struct kp_user_lock_steps {
	void (*taken)(void);		/* just now */
	bool (*owner_waits)(void);	/* for the calling thread, which waits for the lock? */
	void (*dropping)(void);
	void (*dropped)(void);		/* just now */
};
void kp_user_lock_init(const struct kp_user_lock_steps *steps);
bool kp_user_trylock(enum kp_host_lock which);	/* any context */
void kp_user_unlock(enum kp_host_lock which);
bool kp_user_lock_is_mine(enum kp_host_lock which);
void kp_user_lock_fork_prepare(void);
void kp_user_lock_fork_parent(void);
void kp_user_lock_fork_child(bool told);

#endif
