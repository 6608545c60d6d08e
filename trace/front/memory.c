// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * memory.c - memory of a script that is being compiled.
 *
 * Owns: pieces of its arena, texts and arrays.  Out of memory ends the compilation.
 */
#include "front.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *front_alloc(struct front *f, size_t len)
{
	void *piece = arena_get(f->arena, len);

	if (!piece)
		front_fail(f, (struct pos){ 0 }, "out of memory");
	return piece;
}

char *front_text(struct front *f, const char *text, size_t len)
{
	char *copy = front_alloc(f, len + 1);

	memcpy(copy, text, len);
	return copy;
}

char *front_format(struct front *f, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = front_alloc(f, (size_t)len + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void *front_room(struct front *f, void *array, uint32_t nr, uint32_t *room,
		 size_t size)
{
	void *larger;

	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 16;
	larger = front_alloc(f, *room * size);
	if (nr)
		memcpy(larger, array, nr * size);
	return larger;
}
