/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_ticks.h - how time is measured where a program may read no counter of the processor.
 *
 * Owns: that: nanoseconds, by the kernel.  Trap path.
 */
#ifndef KP_USER_CLOCK_TICKS_H
#define KP_USER_CLOCK_TICKS_H

#define KP_TICKS_10MS 10000000ull
static inline uint64_t kp_ticks(void)
{
	struct timespec ts = { 0 };

	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, &ts, 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
