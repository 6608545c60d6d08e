// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pairs.c - atomic numbers of 8 bytes, on 32 bits.
 *
 * Owns: what GCC calls for them, since no instruction stores 8 bytes at once.  Whoever looks
 * at one or changes it has the lock, with interrupts masked: it is held for a few
 * instructions, in which no probe is.
 *
 * Locks: its own, innermost.  Trap path.
 */
#include <linux/irqflags.h>
#include "local.h"

#ifndef CONFIG_64BIT

u64 kp_load_8(const volatile void *at, int order) __asm__("__atomic_load_8");
void kp_store_8(volatile void *at, u64 value, int order) __asm__("__atomic_store_8");
bool kp_swap_8(volatile void *at, void *expected, u64 desired, int success, int failure)
	__asm__("__atomic_compare_exchange_8");

static int taken;

KP_TRAP_PATH static unsigned long lock_pairs(void)
{
	unsigned long flags = arch_local_irq_save();

	while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		cpu_relax();
	return flags;
}

KP_TRAP_PATH static void unlock_pairs(unsigned long flags)
{
	/* Pairs with lock_pairs. */
	kp_store_release(&taken, 0);
	arch_local_irq_restore(flags);
}

KP_TRAP_PATH u64 kp_load_8(const volatile void *at, int order)
{
	unsigned long flags = lock_pairs();
	u64 value = *(const volatile u64 *)at;

	unlock_pairs(flags);
	return value;
}

KP_TRAP_PATH void kp_store_8(volatile void *at, u64 value, int order)
{
	unsigned long flags = lock_pairs();

	*(volatile u64 *)at = value;
	unlock_pairs(flags);
}

KP_TRAP_PATH bool kp_swap_8(volatile void *at, void *expected, u64 desired, int success,
			    int failure)
{
	unsigned long flags = lock_pairs();
	u64 *wanted = expected, now = *(volatile u64 *)at;
	bool same = now == *wanted;

	if (same)
		*(volatile u64 *)at = desired;
	else
		*wanted = now;
	unlock_pairs(flags);
	return same;
}

#endif
