/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * yielding.h - how who holds a word is waited for in processes: by kt_yield(), which whoever
 * includes this has.
 *
 * Owns: that the processor is given away.  Nobody who holds one is interrupted by another.
 */
#ifndef KT_YIELDING_H
#define KT_YIELDING_H

static inline unsigned long kt_wait_begin(void)
{
	return 0;
}

static inline void kt_wait_end(unsigned long flags)
{
	(void)flags;
}

/* The holder may be a thread that wants this very processor. */
static inline void kt_wait(u32 tries)
{
	if (tries % 16 == 15)
		kt_yield();
}

#endif
