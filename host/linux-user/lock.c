/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lock.c - the registry lock and the text lock.
 *
 * Owns: both, as futexes that remember their owner.  fork() takes them first,
 * so that the child starts with consistent tables; a fork that interrupted
 * their owner (from a signal handler) leaves them with the child's thread.
 */
#include "user.h"

#include <linux/futex.h>
#include <stdlib.h>

struct lock {
	int state;		/* 0 free, 1 taken, 2 taken and waited for */
	uintptr_t owner;	/* its thread pointer; valid while taken */
	bool by_fork;		/* taken by fork_prepare */
};

static struct lock locks[2];	/* by enum kp_host_lock */

/* Who asks: without a system call, as this is asked often. */
KP_TRAP_PATH static uintptr_t self(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

KP_TRAP_PATH static long futex(int *word, int op, int value)
{
	return sys4(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL);
}

static bool take(struct lock *lock)
{
	int none = 0;

	return __atomic_compare_exchange_n(&lock->state, &none, 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void kp_host_lock(enum kp_host_lock which)
{
	struct lock *lock = &locks[which];

	if (which == KP_LOCK_REGISTRY)
		kp_user_fork_check();
	if (!take(lock))
		/* Acquire: pairs with the release in kp_host_unlock. */
		while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE))
			futex(&lock->state, FUTEX_WAIT, 2);
	kp_store_relaxed(&lock->owner, self());
	if (which != KP_LOCK_REGISTRY)
		return;
	kp_user_dso_locked();
	kp_user_text_locked();
	kp_user_exec_locked();
}

/* Any context: never waits. */
KP_TRAP_PATH bool kp_user_trylock(enum kp_host_lock which)
{
	struct lock *lock = &locks[which];

	if (!take(lock))
		return false;
	kp_store_relaxed(&lock->owner, self());
	return true;
}

/*
 * After kp_user_trylock, any context.  What is put off, is begun by whoever put
 * it off, when he drops the lock himself.
 */
KP_TRAP_PATH void kp_user_unlock(enum kp_host_lock which)
{
	struct lock *lock = &locks[which];

	kp_store_relaxed(&lock->owner, 0);
	/* Release: pairs with the acquires in kp_host_lock. */
	if (__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2)
		futex(&lock->state, FUTEX_WAKE, 1);
}

void kp_host_unlock(enum kp_host_lock which)
{
	if (which == KP_LOCK_REGISTRY)
		kp_user_unprotect_close();
	kp_user_unlock(which);
	if (which == KP_LOCK_REGISTRY)
		kp_user_defer_unlocked();
}

static bool mine(const struct lock *lock)
{
	return kp_load_relaxed(&lock->state) &&
	       kp_load_relaxed(&lock->owner) == self();
}

void kp_host_assert_locked(enum kp_host_lock which)
{
	if (!mine(&locks[which]))
		kp_host_broken("a lock that should be held is not");
}

bool kp_user_lock_is_mine(enum kp_host_lock which)
{
	return mine(&locks[which]);
}

void kp_user_lock_fork_prepare(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (mine(&locks[i]))
			continue;
		kp_host_lock((enum kp_host_lock)i);
		locks[i].by_fork = true;
	}
}

void kp_user_lock_fork_parent(void)
{
	int i;

	for (i = 2; i-- > 0;) {
		if (!locks[i].by_fork)
			continue;
		locks[i].by_fork = false;
		kp_host_unlock((enum kp_host_lock)i);
	}
}

/*
 * told: fork_prepare ran.  A lock that another thread of the parent held (only
 * possible when it did not) has no owner any more.
 */
void kp_user_lock_fork_child(bool told)
{
	int i;

	for (i = 2; i-- > 0;) {
		bool ours = told && !locks[i].by_fork && mine(&locks[i]);

		locks[i].by_fork = false;
		locks[i].state = ours;
		locks[i].owner = ours ? self() : 0;
	}
}
