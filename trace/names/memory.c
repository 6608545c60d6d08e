// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * memory.c - the memory of what is known of a target.
 *
 * Owns: struct names from its begin to its end, and the texts that it gives away.
 */
#include "own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names *names_new(const struct source *source, void *own)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->memory = arena_new();
	if (!names->memory) {
		free(names);
		return NULL;
	}
	names->source = source;
	names->own = own;
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	if (names->source->free)
		names->source->free(names);
	arena_free(names->memory);
	free(names->types);
	free(names);
}

void *names_alloc(struct names *names, size_t len)
{
	return arena_get(names->memory, len);
}

const char *names_text(struct names *names, const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = len > 1 ? names_alloc(names, len) : NULL;

	return copy ? memcpy(copy, text, len) : "";
}

const char *names_fail(struct names *names, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(names->why, sizeof(names->why), fmt, args);
	va_end(args);
	return names->why;
}

uint32_t names_hash(uint32_t seed, const char *text)
{
	uint32_t hash = 2166136261u + seed;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 16777619u;
	return hash;
}
