/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lock.c - the registry lock and the text lock.
 *
 * Owns: both, as futexes that remember their owner.  fork() takes them first,
 * so that the child starts with consistent tables; a fork that interrupted
 * their owner (from a signal handler) leaves them with the child's thread.
 *
 * Who unloads an object has the registry lock while it waits for the dynamic
 * linker's (dso.c).  The linker's own may be had by a thread that is in a callback
 * of dl_iterate_phdr and waits for the registry lock here.  That one is lent it:
 * until it has returned from its callback the other stays where it is.
 */
#include "threads/lock.h"
#include "atomic.h"
#include "thread.h"
#include "process/ids.h"

#include <linux/futex.h>

struct lock {
	int state;		/* 0 free, 1 taken, 2 taken and waited for */
	uintptr_t owner;	/* its kp_user_self(); valid while taken */
	bool by_fork;		/* taken by fork_prepare */
};

static struct lock locks[2];	/* by enum kp_host_lock */
static const struct kp_user_lock_steps *steps;	/* written once, at the start */
static uintptr_t lender;	/* of the registry lock, by its borrower; or 0 */
#define LOOK_NS 5000000l	/* when one that waits looks whether it would for ever */

void kp_user_lock_init(const struct kp_user_lock_steps *own)
{
	steps = own;
}

/* Who asks: without a system call, as this is asked often. */
KP_TRAP_PATH static uintptr_t self(void)
{
	return kp_user_self();
}

KP_TRAP_PATH static long futex(int *word, int op, int value, long ns)
{
	struct timespec ts = { 0, ns };

	return sys4(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value,
		    ns ? &ts : NULL);
}

static bool take(struct lock *lock)
{
	int none = 0;

	return __atomic_compare_exchange_n(&lock->state, &none, 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void wait_for(struct lock *lock, long ns)
{
	/* Acquire: pairs with the release in kp_user_unlock. */
	while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE)) {
		if (futex(&lock->state, FUTEX_WAIT, 2, ns) != -ETIMEDOUT ||
		    !steps || !steps->owner_waits())
			continue;
		lender = lock->owner;
		return;
	}
}

void kp_host_lock(enum kp_host_lock which)
{
	struct lock *lock = &locks[which];

	if (which == KP_LOCK_REGISTRY)
		kp_user_fork_check();
	if (!take(lock))
		wait_for(lock, which == KP_LOCK_REGISTRY ? LOOK_NS : 0);
	kp_store_relaxed(&lock->owner, self());
	if (which != KP_LOCK_REGISTRY)
		return;
	if (steps)
		steps->taken();
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

	if (which == KP_LOCK_REGISTRY && lender) {
		kp_store_relaxed(&lock->owner, lender);
		lender = 0;
		return;
	}
	kp_store_relaxed(&lock->owner, 0);
	/* Release: pairs with the acquires in kp_host_lock. */
	if (__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2)
		futex(&lock->state, FUTEX_WAKE, 1, 0);
}

void kp_host_unlock(enum kp_host_lock which)
{
	if (which == KP_LOCK_REGISTRY && steps)
		steps->dropping();
	kp_user_unlock(which);
	if (which == KP_LOCK_REGISTRY && steps)
		steps->dropped();
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

	lender = 0;
	for (i = 2; i-- > 0;) {
		bool ours = told && !locks[i].by_fork && mine(&locks[i]);

		locks[i].by_fork = false;
		locks[i].state = ours;
		locks[i].owner = ours ? self() : 0;
	}
}
