/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_wait.h - how the reader waits for who holds a word (halves/halves.c).
 *
 * Owns: that the processor is given away.
 */
#ifndef KT_WAIT_H
#define KT_WAIT_H

#include <sched.h>

static inline unsigned long kt_wait_begin(void)
{
	return 0;
}

static inline void kt_wait_end(unsigned long flags)
{
	(void)flags;
}

static inline void kt_wait(u32 tries)
{
	if (tries % 16 == 15)
		sched_yield();
}

#endif
