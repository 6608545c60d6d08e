/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/atomic.h - atomic counters, for probe modules in a process.
 *
 * Owns: atomic_t, atomic_long_t, atomic64_t.  Operations that return a value are
 *       ordered like the kernel's, the others are not ordered at all.
 */
#ifndef KP_SHIM_LINUX_ATOMIC_H
#define KP_SHIM_LINUX_ATOMIC_H

#include <linux/types.h>

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;
typedef struct { long counter; } atomic_long_t;

#define ATOMIC_INIT(value)	{ (value) }
#define ATOMIC64_INIT(value)	{ (value) }
#define ATOMIC_LONG_INIT(value)	{ (value) }

/*
 * As between two smp_mb(): accesses before are seen before, accesses behind after.  C's
 * strongest order of an operation says less of accesses that have none, and compilers use
 * that where the processor lets them.  A locked instruction of x86's is a whole barrier.
 */
#if defined(__x86_64__) || defined(__i386__)
#define KP_ATOMIC_FENCE()	__atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define KP_ATOMIC_FENCE()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

#define KP_ATOMIC(name, type, value_type)				\
static inline value_type name##_read(const type *v)			\
{									\
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);		\
}									\
static inline void name##_set(type *v, value_type value)		\
{									\
	__atomic_store_n(&v->counter, value, __ATOMIC_RELAXED);		\
}									\
static inline void name##_add(value_type value, type *v)		\
{									\
	__atomic_fetch_add(&v->counter, value, __ATOMIC_RELAXED);	\
}									\
static inline void name##_sub(value_type value, type *v)		\
{									\
	__atomic_fetch_sub(&v->counter, value, __ATOMIC_RELAXED);	\
}									\
static inline void name##_inc(type *v)					\
{									\
	name##_add(1, v);						\
}									\
static inline void name##_dec(type *v)					\
{									\
	name##_sub(1, v);						\
}									\
static inline value_type name##_add_return(value_type value, type *v)	\
{									\
	value_type result;						\
									\
	KP_ATOMIC_FENCE();						\
	result = __atomic_add_fetch(&v->counter, value, __ATOMIC_SEQ_CST);\
	KP_ATOMIC_FENCE();						\
	return result;							\
}									\
static inline value_type name##_sub_return(value_type value, type *v)	\
{									\
	value_type result;						\
									\
	KP_ATOMIC_FENCE();						\
	result = __atomic_sub_fetch(&v->counter, value, __ATOMIC_SEQ_CST);\
	KP_ATOMIC_FENCE();						\
	return result;							\
}									\
static inline value_type name##_fetch_add(value_type value, type *v)	\
{									\
	value_type result;						\
									\
	KP_ATOMIC_FENCE();						\
	result = __atomic_fetch_add(&v->counter, value, __ATOMIC_SEQ_CST);\
	KP_ATOMIC_FENCE();						\
	return result;							\
}									\
static inline value_type name##_inc_return(type *v)			\
{									\
	return name##_add_return(1, v);					\
}									\
static inline value_type name##_dec_return(type *v)			\
{									\
	return name##_sub_return(1, v);					\
}									\
static inline bool name##_dec_and_test(type *v)				\
{									\
	return !name##_dec_return(v);					\
}									\
static inline value_type name##_xchg(type *v, value_type value)		\
{									\
	value_type result;						\
									\
	KP_ATOMIC_FENCE();						\
	result = __atomic_exchange_n(&v->counter, value, __ATOMIC_SEQ_CST);\
	KP_ATOMIC_FENCE();						\
	return result;							\
}									\
static inline value_type name##_cmpxchg(type *v, value_type old,	\
					value_type value)		\
{									\
	KP_ATOMIC_FENCE();						\
	__atomic_compare_exchange_n(&v->counter, &old, value, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);\
	KP_ATOMIC_FENCE();						\
	return old;							\
}
KP_ATOMIC(atomic, atomic_t, int)
KP_ATOMIC(atomic64, atomic64_t, s64)
KP_ATOMIC(atomic_long, atomic_long_t, long)
#undef KP_ATOMIC

#endif
