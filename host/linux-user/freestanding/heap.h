/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heap.h - memory for the slow paths.
 *
 * Owns: the prototypes of heap.c.
 */
#ifndef KP_USER_HEAP_H
#define KP_USER_HEAP_H

#include "env.h"

typedef void (*kp_user_range_fn)(void *arg, uintptr_t base, size_t len);
void kp_user_heap_fork(void);
void kp_user_heap_keep(void);		/* from now on what is freed; any context */
/* Private memory, but not what is near text, where jumps reach little.  NULL: none. */
void *kp_user_map_away(size_t len, int prot, int flags);
void kp_user_heap_trim(void);			/* by whoever may call madvise */
void kp_user_heap_each(kp_user_range_fn each, void *arg);	/* nobody else is in it */
void kp_user_heap_look(kp_user_range_fn each, void *arg);	/* whoever is */

#endif
