// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * restorer.c - the return from a signal handler: the kernel's own, in the vdso; where it
 * has none, the library's or the C library's.
 *
 * Owns: how it is known in a process: mov $173, %eax; int $0x80.  The library may watch the
 * C library's (host/linux-user/i386/numbers.c): then a breakpoint stands over the call, and
 * it is not taken.
 */
#include "remote.h"

#include <stdlib.h>
#include <string.h>

/* What is searched: a C library has 2 MB; this may be called one, too. */
#define SEARCH_MAX (64u << 20)

static const uint8_t plain[] = { 0xb8, 0xad, 0x00, 0x00, 0x00, 0xcd, 0x80 };

bool restorer_at(const struct remote *remote, uint64_t addr)
{
	uint8_t code[sizeof(plain)];

	return !remote_read(remote, addr, code, sizeof(code)) &&
	       !memcmp(code, plain, sizeof(code));
}

static uint64_t find_in(const struct remote *remote, const struct remote_map *map)
{
	size_t len = (size_t)(map->end - map->start);
	uint8_t *text = malloc(len), *at = NULL;
	uint64_t found = 0;

	if (text && !remote_read(remote, map->start, text, len))
		at = memmem(text, len, plain, sizeof(plain));
	if (at)
		found = map->start + (uint64_t)(at - text);
	free(text);
	return found;
}

uint64_t restorer_find(const struct remote *remote)
{
	static const char *const parts[] = { "[vdso]", "/libkprobes.so", "/libc" };
	size_t i, k, left = SEARCH_MAX;
	uint64_t found = 0;

	for (k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
		for (i = 0; i < remote->maps_nr && !found; i++) {
			const struct remote_map *map = &remote->maps[i];
			size_t size = (size_t)(map->end - map->start);

			if (!map->exec || !strstr(map->path, parts[k]) || size > left)
				continue;
			left -= size;
			found = find_in(remote, map);
		}
	}
	return found;
}
