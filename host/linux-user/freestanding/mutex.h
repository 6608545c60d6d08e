/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mutex.h - a lock that sleeps.
 *
 * Owns: the word and its states: 0 free, 1 taken, 2 taken and waited for.  No C library: a
 * thread may take it that no C library knows.  Whoever has it must not ask for it again.
 */
#ifndef KP_USER_MUTEX_H
#define KP_USER_MUTEX_H

#include "sys.h"
#include "atomic.h"

#include <linux/futex.h>

static inline void kp_mutex_lock(int *word)
{
	int none = 0;

	if (__atomic_compare_exchange_n(word, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	/* Acquire: pairs with the release in kp_mutex_unlock. */
	while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE))
		sys4(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL);
}

static inline void kp_mutex_unlock(int *word)
{
	/* Release: pairs with the acquires in kp_mutex_lock. */
	if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
		sys3(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

#endif
