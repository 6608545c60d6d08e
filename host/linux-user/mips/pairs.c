/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pairs.c - atomic numbers of 8 bytes, on 32 bits.
 *
 * Owns: what GCC calls for them, since no instruction stores 8 bytes at once.
 *
 *	1. Who changes one keeps its signals blocked and takes the lock.
 *	2. It makes seq odd, and notes what it is about to store, and where (pending).
 *	3. It stores, forgets that, and makes seq even.
 *	4. It lets go, and has its signals again.
 *
 * A load takes no lock: it loads again where seq was odd, or is another one after it.
 * Whoever waits for a thread that is gone, as the child of a fork may, finishes what that
 * one was at.
 */
#include "atomic.h"
#include "signal_sets.h"
#include "sys.h"

#ifndef __mips64

#define HIDDEN __attribute__((visibility("hidden")))
#define PATIENCE 1000			/* looks, before its owner is asked for */

HIDDEN uint64_t kp_load_8(const volatile void *at, int order) __asm__("__atomic_load_8");
HIDDEN void kp_store_8(volatile void *at, uint64_t value, int order) __asm__("__atomic_store_8");
HIDDEN uint64_t kp_add_8(volatile void *at, uint64_t more, int order)
	__asm__("__atomic_fetch_add_8");
HIDDEN bool kp_swap_8(volatile void *at, void *expected, uint64_t desired, int success,
		      int failure) __asm__("__atomic_compare_exchange_8");

static int owner;			/* a thread; atomic */
static unsigned int seq;		/* changed by owner; lock-free readers */
static volatile uint64_t *pending;	/* by owner; NULL: nothing is half stored */
static uint64_t pending_value;		/* by owner */

KP_TRAP_PATH static bool is_gone(int tid)
{
	return sys3(SYS_tgkill, sys_getpid(), tid, 0) == -ESRCH;
}

KP_TRAP_PATH static void take_lock(void)
{
	unsigned int looks = 0;
	int self = sys_gettid(), other = 0;

	while (!__atomic_compare_exchange_n(&owner, &other, self, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		if (++looks > PATIENCE && is_gone(other))
			continue;
		sys3(SYS_sched_yield, 0, 0, 0);
		other = 0;
	}
}

KP_TRAP_PATH static void lock_pairs(sys_sigset *before)
{
	const sys_sigset most = ~KP_SIG_OWN;

	sys_sigprocmask(SIG_BLOCK, &most, before);
	take_lock();
	if (pending)
		*pending = pending_value;
	pending = NULL;
	if (seq & 1)
		/* Pairs with kp_load_8. */
		kp_store_release(&seq, seq + 1);
}

KP_TRAP_PATH static void unlock_pairs(const sys_sigset *before)
{
	/* Pairs with take_lock: what was loaded and stored. */
	kp_store_release(&owner, 0);
	sys_sigprocmask(SIG_SETMASK, before, NULL);
}

/* By the lock. */
KP_TRAP_PATH static void change(volatile uint64_t *place, uint64_t value)
{
	pending_value = value;
	kp_store_relaxed(&seq, seq + 1);
	/* Release: whoever finds a place has its value.  And no part of it under an even number. */
	kp_store_release(&pending, place);
	kp_fence_release();
	*place = value;
	kp_store_release(&pending, NULL);
	/* Pairs with kp_load_8. */
	kp_store_release(&seq, seq + 1);
}

KP_TRAP_PATH uint64_t kp_load_8(const volatile void *at, int order)
{
	unsigned int before, looks;
	sys_sigset mask;
	uint64_t value;

	(void)order;
	for (looks = 1;; looks++) {
		/* Pairs with change(): all of a number, or none. */
		before = kp_load_acquire(&seq);
		value = *(const volatile uint64_t *)at;
		/* It is older than the number that is looked at again. */
		kp_fence_acquire();
		if (!(before & 1) && kp_load_relaxed(&seq) == before)
			return value;
		if (looks % PATIENCE)
			continue;
		lock_pairs(&mask);
		unlock_pairs(&mask);
	}
}

KP_TRAP_PATH void kp_store_8(volatile void *at, uint64_t value, int order)
{
	sys_sigset mask;

	(void)order;
	lock_pairs(&mask);
	change(at, value);
	unlock_pairs(&mask);
}

KP_TRAP_PATH uint64_t kp_add_8(volatile void *at, uint64_t more, int order)
{
	volatile uint64_t *place = at;
	sys_sigset mask;
	uint64_t was;

	(void)order;
	lock_pairs(&mask);
	was = *place;
	change(place, was + more);
	unlock_pairs(&mask);
	return was;
}

KP_TRAP_PATH bool kp_swap_8(volatile void *at, void *expected, uint64_t desired, int success,
			    int failure)
{
	volatile uint64_t *place = at;
	uint64_t *wanted = expected;
	sys_sigset mask;
	bool same;

	(void)success;
	(void)failure;
	lock_pairs(&mask);
	same = *place == *wanted;
	if (same)
		change(place, desired);
	else
		*wanted = *place;
	unlock_pairs(&mask);
	return same;
}

#endif
