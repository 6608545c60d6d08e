// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * restorer.c - the C library's return from a signal handler.
 *
 * Owns: how it is known in a process:
 *	48 c7 c0 0f 00 00 00	mov $15, %rax
 *	0f 05			syscall
 * The library may watch it (host/linux-user/x86/syscalls.c): then a jump out of the C
 * library stands over the first five bytes, or a breakpoint over the call's first.
 */
#include "remote.h"

#include <stdlib.h>
#include <string.h>

#define LEN 9
#define JUMP_LEN 5
#define CALL 7				/* where the system call is */
/* What is searched: a C library has 2 MB; this may be called one, too. */
#define SEARCH_MAX (64u << 20)

static bool leads_out(const struct remote *remote, uint64_t addr,
		      const uint8_t *code)
{
	const struct remote_map *here = remote_map_at(remote, addr), *to;
	int32_t distance;

	memcpy(&distance, code + 1, sizeof(distance));
	to = remote_map_at(remote, addr + JUMP_LEN + (uint64_t)distance);
	return here && to && to->exec && strcmp(to->path, here->path);
}

static bool is_restorer(const struct remote *remote, uint64_t addr,
			const uint8_t *code)
{
	static const uint8_t plain[LEN] = {
		0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05,
	};

	if (code[CALL + 1] != plain[CALL + 1] ||
	    memcmp(code + JUMP_LEN, plain + JUMP_LEN, CALL - JUMP_LEN))
		return false;
	if (!memcmp(code, plain, JUMP_LEN))
		return code[CALL] == plain[CALL] || code[CALL] == 0xcc;
	return code[0] == 0xe9 && code[CALL] == plain[CALL] &&
	       leads_out(remote, addr, code);
}

bool restorer_at(const struct remote *remote, uint64_t addr)
{
	uint8_t code[LEN];

	return !remote_read(remote, addr, code, sizeof(code)) &&
	       is_restorer(remote, addr, code);
}

static uint64_t find_in(const struct remote *remote,
			const struct remote_map *map, const uint8_t *text)
{
	size_t len = (size_t)(map->end - map->start), at;

	for (at = 0; at + LEN <= len; at++)
		if (text[at + CALL + 1] == 0x05 &&
		    is_restorer(remote, map->start + at, text + at))
			return map->start + at;
	return 0;
}

uint64_t restorer_find(const struct remote *remote)
{
	size_t i, left = SEARCH_MAX;
	uint64_t found = 0;

	for (i = 0; i < remote->maps_nr && !found; i++) {
		const struct remote_map *map = &remote->maps[i];
		size_t size = (size_t)(map->end - map->start);
		uint8_t *text;

		if (!map->exec || !strstr(map->path, "/libc") || size > left)
			continue;
		left -= size;
		text = malloc(size);
		if (text && !remote_read(remote, map->start, text, size))
			found = find_in(remote, map, text);
		free(text);
	}
	return found;
}
