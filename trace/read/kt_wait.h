/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_wait.h - how the reader waits for who holds a word (shared/split64/halves.c).
 */
#ifndef KT_WAIT_H
#define KT_WAIT_H

#include <sched.h>

static inline void kt_yield(void)
{
	sched_yield();
}

#include "shared/split64/yielding.h"

#endif
