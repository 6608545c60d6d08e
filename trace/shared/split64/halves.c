// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * halves.c - words of 64 bits, on processors that change only 32 at once.
 *
 * Owns: what compilers call for vm/word.h there, and which words have which lock.  Who
 * changes a word has its lock, an odd number; who loads one looks at that before and after.
 * An arena's locks lie in it, since the program's hosts and its reader change the same words,
 * and who executes and who reads says where it is; other memory's are here.
 *
 * A holder may be stopped, or gone for good with its process while others have the arena:
 * after some tries a lock is taken from it, and what it changes then may be lost.  Nobody waits
 * for ever, and no process makes its reader do so.
 *
 * Any context of a handler: a kernel's holder is not interrupted (kt_wait.h).
 */
#include "vm.h"
#include "word.h"

#if !KT_WORDS_WHOLE

#include "kt_wait.h"

#define TRIES 1000u
#define ARENAS 64u

struct arena {
	unsigned long at, len;		/* len: stored last, with release */
	u32 *locks;
};

/* Where there is no room for an arena's, its words have those of other memory. */
static struct arena arenas[ARENAS];
static u32 arenas_nr;			/* those behind have never been used */
static u32 others[KT_WORD_LOCKS];

void kt_halves_share(void *at, u64 len, u32 *locks)
{
	u32 i, nr;

	for (i = 0; i < ARENAS; i++) {
		u32 *none = NULL;

		/* The place is taken before it is said how long the arena is. */
		if (__atomic_compare_exchange_n(&arenas[i].locks, &none, locks, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
	}
	if (i == ARENAS)
		return;
	arenas[i].at = (unsigned long)at;
	/* Pairs with lock_of(). */
	__atomic_store_n(&arenas[i].len, (unsigned long)len, __ATOMIC_RELEASE);
	nr = __atomic_load_n(&arenas_nr, __ATOMIC_RELAXED);
	while (nr <= i && !__atomic_compare_exchange_n(&arenas_nr, &nr, i + 1, false, __ATOMIC_RELEASE,
						       __ATOMIC_RELAXED))
		;
}

void kt_halves_unshare(const void *at)
{
	u32 i;

	for (i = 0; i < ARENAS; i++) {
		if (arenas[i].len && arenas[i].at == (unsigned long)at) {
			__atomic_store_n(&arenas[i].len, 0ul, __ATOMIC_RELAXED);
			/* After it: who takes the place finds no length. */
			__atomic_store_n(&arenas[i].locks, NULL, __ATOMIC_RELEASE);
			return;
		}
	}
}

static u32 *lock_of(const void *word)
{
	unsigned long at = (unsigned long)word;
	u32 nr = __atomic_load_n(&arenas_nr, __ATOMIC_RELAXED), i;

	for (i = 0; i < nr; i++) {
		/* Pairs with kt_halves_share(). */
		unsigned long len = __atomic_load_n(&arenas[i].len, __ATOMIC_ACQUIRE);

		if (at - arenas[i].at < len)
			return &arenas[i].locks[(at - arenas[i].at) / 8 % KT_WORD_LOCKS];
	}
	return &others[at / 8 % KT_WORD_LOCKS];
}

/* What it is while it is held: odd, and not what it was. */
static u32 take(u32 *lock)
{
	u32 tries, seen, mine;

	for (tries = 0;; tries++) {
		seen = __atomic_load_n(lock, __ATOMIC_RELAXED);
		if (seen & 1 && tries < TRIES) {
			kt_wait(tries);
			continue;
		}
		mine = seen & 1 ? seen + 2 : seen + 1;
		/* Acquire: what its last holder changed is seen.  Pairs with give(). */
		if (__atomic_compare_exchange_n(lock, &seen, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
	}
	/* The number is odd before the word changes.  Pairs with the fence of a load. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return mine;
}

/* A word that is held: nobody else changes it. */
struct held {
	u32 *lock, mine;
	unsigned long flags;		/* kt_wait_begin()'s */
};

static struct held hold(volatile u64 *at)
{
	struct held held = { .lock = lock_of((const void *)at), .flags = kt_wait_begin() };

	held.mine = take(held.lock);
	return held;
}

/* Unless somebody has taken it. */
static void give(struct held held)
{
	__atomic_compare_exchange_n(held.lock, &held.mine, held.mine + 1, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	kt_wait_end(held.flags);
}

/* ---- what compilers call --------------------------------------------------------------- */

u64 kt_load_8(const volatile u64 *at, int order) __asm__("__atomic_load_8");
void kt_store_8(volatile u64 *at, u64 value, int order) __asm__("__atomic_store_8");
u64 kt_add_8(volatile u64 *at, u64 value, int order) __asm__("__atomic_fetch_add_8");
u64 kt_exchange_8(volatile u64 *at, u64 value, int order) __asm__("__atomic_exchange_8");
bool kt_swap_8(volatile u64 *at, u64 *old, u64 value, int order, int otherwise)
	__asm__("__atomic_compare_exchange_8");

/* Whatever order is asked for: a lock's is enough for all of them. */
u64 kt_load_8(const volatile u64 *at, int order)
{
	u32 *lock = lock_of((const void *)at), before, tries;
	u64 value = 0;

	(void)order;
	for (tries = 0; tries < TRIES; tries++) {
		before = __atomic_load_n(lock, __ATOMIC_ACQUIRE);
		value = *at;
		/* Pairs with the fence in take(). */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && __atomic_load_n(lock, __ATOMIC_RELAXED) == before)
			break;
		kt_wait(tries);
	}
	return value;
}

u64 kt_exchange_8(volatile u64 *at, u64 value, int order)
{
	struct held held = hold(at);
	u64 old = *at;

	(void)order;
	*at = value;
	give(held);
	return old;
}

void kt_store_8(volatile u64 *at, u64 value, int order)
{
	kt_exchange_8(at, value, order);
}

u64 kt_add_8(volatile u64 *at, u64 value, int order)
{
	struct held held = hold(at);
	u64 old = *at;

	(void)order;
	*at = old + value;
	give(held);
	return old;
}

bool kt_swap_8(volatile u64 *at, u64 *old, u64 value, int order, int otherwise)
{
	struct held held = hold(at);
	u64 wanted = *old;

	(void)order;
	(void)otherwise;
	*old = *at;
	if (*old == wanted)
		*at = value;
	give(held);
	return *old == wanted;
}

#endif
