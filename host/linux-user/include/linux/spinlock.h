/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/spinlock.h - spin locks, for probe modules in a process.
 *
 * Owns: a lock that a handler may take while no other code of its thread holds it:
 *       as in the kernel, code outside handlers takes it with _irqsave only in
 *       name, so share it between handlers, not with what they interrupt.
 */
#ifndef KP_SHIM_LINUX_SPINLOCK_H
#define KP_SHIM_LINUX_SPINLOCK_H

#include <linux/compiler.h>
#include <kprobes/processor.h>
#include <linux/types.h>

typedef struct { int taken; } spinlock_t;
typedef spinlock_t raw_spinlock_t;

#define __SPIN_LOCK_UNLOCKED(name)	{ 0 }
#define DEFINE_SPINLOCK(name)		spinlock_t name = { 0 }
#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name = { 0 }

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->taken = 0;
}

static inline int spin_trylock(spinlock_t *lock)
{
	return !__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
}

static inline void spin_lock(spinlock_t *lock)
{
	while (!spin_trylock(lock))
		while (READ_ONCE(lock->taken))
			cpu_relax();
}

static inline void spin_unlock(spinlock_t *lock)
{
	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

#define spin_lock_irqsave(lock, flags)	\
	do { (flags) = 0; spin_lock(lock); } while (0)
#define spin_unlock_irqrestore(lock, flags) \
	do { (void)(flags); spin_unlock(lock); } while (0)
#define raw_spin_lock_init		spin_lock_init
#define raw_spin_lock			spin_lock
#define raw_spin_unlock			spin_unlock
#define raw_spin_lock_irqsave		spin_lock_irqsave
#define raw_spin_unlock_irqrestore	spin_unlock_irqrestore

#endif
