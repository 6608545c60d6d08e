/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_wait.h - how a program's host waits for who holds a word (shared/split64/halves.c), in a kernel.
 *
 * Owns: that nobody who holds one is interrupted.
 */
#ifndef KT_WAIT_H
#define KT_WAIT_H

#include <linux/irqflags.h>
#include <asm/processor.h>

static inline unsigned long kt_wait_begin(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	return flags;
}

static inline void kt_wait_end(unsigned long flags)
{
	raw_local_irq_restore(flags);
}

static inline void kt_wait(u32 tries)
{
	(void)tries;
	cpu_relax();
}

#endif
