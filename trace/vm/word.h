/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * word.h - words of the arena, which others change meanwhile.
 *
 * Owns: how they are loaded, stored, copied and compared.  Each use of an acquire
 * or a release names its partner.
 */
#ifndef KT_WORD_H
#define KT_WORD_H

#include "program.h"

#define kt_load(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define kt_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kt_store(p, v)		__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define kt_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define kt_add(p, v)		__atomic_fetch_add(p, v, __ATOMIC_RELAXED)
/* What was stored before, was so before what is stored after. */
#define kt_fence_release()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define kt_likely(x)		__builtin_expect(!!(x), 1)
#define kt_unlikely(x)		__builtin_expect(!!(x), 0)

/* Store new when *p still is old.  Acquire. */
static inline bool kt_swap(u64 *p, u64 old, u64 new)
{
	return __atomic_compare_exchange_n(p, &old, new, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void kt_words_copy(u64 *to, const u64 *from, u32 len)
{
	u32 i;

	for (i = 0; i < len / 8; i++)
		kt_store(&to[i], kt_load(&from[i]));
}

static inline void kt_words_zero(u64 *to, u32 len)
{
	u32 i;

	for (i = 0; i < len / 8; i++)
		kt_store(&to[i], 0);
}

static inline bool kt_words_same(const u64 *a, const u64 *b, u32 len)
{
	u32 i;

	for (i = 0; i < len / 8; i++)
		if (kt_load(&a[i]) != kt_load(&b[i]))
			return false;
	return true;
}

#endif
