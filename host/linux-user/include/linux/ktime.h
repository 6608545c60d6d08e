/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/ktime.h - time, for probe modules in a process.
 *
 * Owns: the monotonic clock in nanoseconds; safe in a handler.
 */
#ifndef KP_SHIM_LINUX_KTIME_H
#define KP_SHIM_LINUX_KTIME_H

#include <linux/types.h>

typedef s64 ktime_t;

ktime_t kp_ktime_get(void);

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

static inline ktime_t ktime_get(void)
{
	return kp_ktime_get();
}

static inline u64 ktime_get_ns(void)
{
	return (u64)kp_ktime_get();
}

/* Like ktime_get_ns; in a kernel the one that an NMI may call. */
static inline u64 ktime_get_mono_fast_ns(void)
{
	return (u64)kp_ktime_get();
}

static inline ktime_t ktime_add(ktime_t a, ktime_t b)
{
	return a + b;
}

static inline ktime_t ktime_sub(ktime_t a, ktime_t b)
{
	return a - b;
}

static inline s64 ktime_to_ns(ktime_t t)
{
	return t;
}

static inline s64 ktime_to_us(ktime_t t)
{
	return t / NSEC_PER_USEC;
}

static inline s64 ktime_to_ms(ktime_t t)
{
	return t / NSEC_PER_MSEC;
}

static inline s64 ktime_us_delta(ktime_t later, ktime_t earlier)
{
	return ktime_to_us(later - earlier);
}

#endif
