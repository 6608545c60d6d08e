// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * restorer.c - the return from a signal handler: the kernel's own, in the vdso or in a page
 * for it, or where the library watches that, the library's own for its handlers.
 *
 * Owns: how it is known in a process: by TRACEE_RETURN, the word that sets the call's
 * number, and the call.
 */
#include "ptracer.h"

#include <stdlib.h>
#include <string.h>

#define LEN_MAX (1u << 22)

#define RETURN_LEN 8u

static bool is_return(const void *bytes)
{
	uint32_t code[RETURN_LEN / 4];

	memcpy(code, bytes, sizeof(code));
	return code[0] == TRACEE_RETURN && (code[1] & TRACEE_CALL_MASK) == TRACEE_CALL;
}

bool restorer_at(const struct remote *remote, uint64_t addr)
{
	uint8_t code[RETURN_LEN];

	return !remote_read(remote, addr, code, sizeof(code)) && is_return(code);
}

static uint64_t find_in(const struct remote *remote,
			const struct remote_map *map)
{
	size_t len = (size_t)(map->end - map->start), at;
	uint8_t *text = malloc(len);
	uint64_t found = 0;

	if (text && !remote_read(remote, map->start, text, len))
		for (at = 0; at + RETURN_LEN <= len && !found; at += 2)
			if (is_return(text + at))
				found = map->start + at;
	free(text);
	return found;
}

static uint64_t find_named(const struct remote *remote, const char *part)
{
	uint64_t found = 0;
	size_t i;

	for (i = 0; i < remote->maps_nr && !found; i++) {
		const struct remote_map *map = &remote->maps[i];

		if (map->exec && strstr(map->path, part) &&
		    map->end - map->start <= LEN_MAX)
			found = find_in(remote, map);
	}
	return found;
}

uint64_t restorer_find(const struct remote *remote)
{
	static const char *const parts[] = { "[vdso]", "[sigpage]", "/libkprobes.so" };
	uint64_t found = 0;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && !found; i++)
		found = find_named(remote, parts[i]);
	return found;
}
