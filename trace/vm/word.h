/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * word.h - words of the arena, which others change meanwhile.
 *
 * Owns: how they are loaded, stored, copied and compared.  Each use of an acquire or a release
 * names its partner.  If the processor has no 64-bit words, compilers call
 * shared/split64/halves.c, which has to know where arenas are.
 */
#ifndef KT_WORD_H
#define KT_WORD_H

#include "program.h"

/* Does the processor change 64 bits at once?  The compiler knows. */
#define KT_WORDS_WHOLE (__GCC_ATOMIC_LLONG_LOCK_FREE == 2)

/*
 * Where it does not: an arena of len bytes is there, with KT_WORD_LOCKS locks; it is no more,
 * and nobody uses it.
 */
void kt_halves_share(void *at, u64 len, u32 *locks);
void kt_halves_unshare(const void *at);

#define kt_load(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define kt_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kt_store(p, v)		__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define kt_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define kt_add(p, v)		__atomic_fetch_add(p, v, __ATOMIC_RELAXED)
/* What was stored before, was so before what is stored after. */
#define kt_fence_release()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define kt_likely(x)		__builtin_expect(!!(x), 1)
#define kt_unlikely(x)		__builtin_expect(!!(x), 0)
/* A function of its own, so that its caller keeps less. */
#define ASIDE __attribute__((__noinline__))

/* Store new when *p still is old.  Acquire. */
static inline bool kt_swap(u64 *p, u64 old, u64 new)
{
	return __atomic_compare_exchange_n(p, &old, new, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Words, whatever they are declared as: records, keys, scratch memory. */
typedef u64 __attribute__((__may_alias__)) kt_word;

static inline void kt_words_copy(void *to, const void *from, u32 len)
{
	const kt_word *words = from;
	kt_word *at = to;
	u32 i;

	for (i = 0; i < len / 8; i++)
		kt_store(&at[i], kt_load(&words[i]));
}

static inline void kt_words_zero(void *to, u32 len)
{
	kt_word *at = to;
	u32 i;

	for (i = 0; i < len / 8; i++)
		kt_store(&at[i], 0);
}

static inline bool kt_words_same(const void *x, const void *y, u32 len)
{
	const kt_word *a = x, *b = y;
	u32 i;

	for (i = 0; i < len / 8; i++)
		if (kt_load(&a[i]) != kt_load(&b[i]))
			return false;
	return true;
}

#endif
