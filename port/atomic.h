/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * atomic.h - the few atomic operations that the core uses.
 *
 * Owns: their spelling.  Each use names its partner beside it.
 */
#ifndef KP_ATOMIC_H
#define KP_ATOMIC_H

/* GCC computes an address of its own for each atomic load, and none for a volatile one. */
#define kp_load_relaxed(p)						\
	__builtin_choose_expr(sizeof(*(p)) <= sizeof(long),		\
			      *(__typeof__(*(p)) const volatile *)(p),	\
			      __atomic_load_n(p, __ATOMIC_RELAXED))
#define kp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kp_store_relaxed(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define kp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
/*
 * A pointer through which all is read that was stored before it: no processor reads that
 * before, and this costs what a plain load does, which an acquire does not everywhere.
 */
#define kp_load_pointer(p)	kp_load_relaxed(p)
/*
 * Behind all that was stored before, for who interrupts this very CPU, or thread, to which the
 * order of instructions is that of its memory: it is the compiler that keeps to it.
 */
#define kp_store_here(p, v) \
	(__atomic_signal_fence(__ATOMIC_RELEASE), kp_store_relaxed(p, v))
/* What was loaded before, was so before what is loaded after. */
#define kp_fence_acquire()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
/* What was loaded and stored before, was so before what is stored after. */
#define kp_fence_release()	__atomic_thread_fence(__ATOMIC_RELEASE)
/* What was loaded and stored before, was so before what is loaded after. */
#define kp_fence_full()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define kp_add_relaxed(p, v)	__atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define kp_and_relaxed(p, v)	((void)__atomic_fetch_and(p, v, __ATOMIC_RELAXED))
#define kp_or_relaxed(p, v)	((void)__atomic_fetch_or(p, v, __ATOMIC_RELAXED))
/*
 * Store v when *p still is *old, else load it into *old.  Acquire and release;
 * may fail for no reason.
 */
#define kp_swap_if(p, old, v) \
	__atomic_compare_exchange_n(p, old, v, true, __ATOMIC_ACQ_REL, \
				    __ATOMIC_ACQUIRE)

#endif
