// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * atomics.c - what compilers call for atomic words of 64 bits on i386.
 *
 * Owns: those that vm/word.h asks for.  A kernel's code may use neither x87 nor SSE, by which
 * a program loads and stores eight bytes at once: cmpxchg8b does all of it here, as the
 * kernel has it, which writes what it finds where it only loads.  So no word is const; those
 * of the arena and of a handler's own are not.
 *
 * No locks; any context of a handler.  A locked instruction orders everything: each serves
 * for whatever order is asked.
 */
#include <linux/atomic.h>
#include <linux/types.h>

u64 kt_load_8(const u64 *at, int order) __asm__("__atomic_load_8");
void kt_store_8(u64 *at, u64 value, int order) __asm__("__atomic_store_8");
u64 kt_add_8(u64 *at, u64 value, int order) __asm__("__atomic_fetch_add_8");
bool kt_swap_8(u64 *at, u64 *old, u64 value, int order, int otherwise)
	__asm__("__atomic_compare_exchange_8");

u64 kt_load_8(const u64 *at, int order)
{
	return cmpxchg64((u64 *)at, 0ull, 0ull);
}

bool kt_swap_8(u64 *at, u64 *old, u64 value, int order, int otherwise)
{
	u64 wanted = *old;

	*old = cmpxchg64(at, wanted, value);
	return *old == wanted;
}

u64 kt_add_8(u64 *at, u64 value, int order)
{
	u64 old = kt_load_8(at, order);

	while (!kt_swap_8(at, &old, old + value, order, order))
		;
	return old;
}

void kt_store_8(u64 *at, u64 value, int order)
{
	u64 old = kt_load_8(at, order);

	while (!kt_swap_8(at, &old, value, order, order))
		;
}
