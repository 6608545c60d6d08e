/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * alone.h - writing text while nobody executes it.
 *
 * Owns: nothing, where a processor may execute what another one writes.  Where it may not
 * (KP_WRITES_ALONE), ARCH/alone.c stops the others meanwhile.
 *
 * Locks: begin before the kernel's text_mutex is taken, end after it was given back; the
 * kernel's own order is the same.
 */
#ifndef KP_KERNEL_ALONE_H
#define KP_KERNEL_ALONE_H

#include "machine.h"

#ifdef KP_WRITES_ALONE
void kp_alone_begin(void);
void kp_alone(void (*fn)(void *arg), void *arg);
void kp_alone_end(void);
#else
static inline void kp_alone_begin(void)
{
}

static inline void kp_alone(void (*fn)(void *arg), void *arg)
{
	fn(arg);
}

static inline void kp_alone_end(void)
{
}
#endif

#endif
