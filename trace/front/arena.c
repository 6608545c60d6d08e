/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arena.c - memory that is given piece by piece and freed as a whole.
 *
 * Owns: struct trace_arena.  No piece is freed by itself.
 */
#include "front.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void *get(struct front *f, size_t len)
{
	void *piece = arena_get(f->arena, len);

	if (!piece)
		fail(f, (struct pos){ 0 }, "out of memory");
	return piece;
}

char *get_text(struct front *f, const char *text, size_t len)
{
	char *copy = get(f, len + 1);

	memcpy(copy, text, len);
	return copy;
}

char *get_format(struct front *f, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = get(f, (size_t)len + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void *get_room(struct front *f, void *array, uint32_t nr, uint32_t *room,
	       size_t size)
{
	void *larger;

	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 16;
	larger = get(f, *room * size);
	if (nr)
		memcpy(larger, array, nr * size);
	return larger;
}
