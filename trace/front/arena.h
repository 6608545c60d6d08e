/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arena.h - memory that is given piece by piece and freed as a whole.
 *
 * Owns: the prototypes of arena.c; also for trace/names.
 */
#ifndef KT_ARENA_H
#define KT_ARENA_H

#include <stddef.h>

struct trace_arena;

struct trace_arena *arena_new(void);	/* NULL: no memory */
void arena_free(struct trace_arena *arena);	/* NULL is ignored */
void *arena_get(struct trace_arena *arena, size_t len);	/* zeros; or NULL */

#endif
