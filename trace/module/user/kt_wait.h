/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_wait.h - how a program's host waits for who holds a word (halves/halves.c), in a process.
 *
 * Owns: that the processor is given away.  Handlers here are not interrupted by others.
 */
#ifndef KT_WAIT_H
#define KT_WAIT_H

#include "kt_host.h"

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
