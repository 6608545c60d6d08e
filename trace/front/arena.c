/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arena.c - memory that is allocated piece by piece and freed as a whole.
 *
 * Owns: struct trace_arena.  No piece is freed by itself.
 */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

#define CHUNK 65536

struct chunk {
	struct chunk *next;
	size_t used, len;
	max_align_t bytes[];
};

struct trace_arena {
	struct chunk *chunks;
};

struct trace_arena *arena_new(void)
{
	return calloc(1, sizeof(struct trace_arena));
}

void arena_free(struct trace_arena *arena)
{
	struct chunk *chunk;

	if (!arena)
		return;
	while ((chunk = arena->chunks)) {
		arena->chunks = chunk->next;
		free(chunk);
	}
	free(arena);
}

void *arena_get(struct trace_arena *arena, size_t len)
{
	struct chunk *chunk = arena->chunks;
	void *piece;

	if (len > SIZE_MAX / 2)
		return NULL;
	len = (len + 15) & ~(size_t)15;
	if (!chunk || chunk->len - chunk->used < len) {
		size_t room = len > CHUNK ? len : CHUNK;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->len = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	piece = (char *)chunk->bytes + chunk->used;
	chunk->used += len;
	return piece;
}
