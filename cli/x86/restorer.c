// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * restorer.c - the program's return from a signal handler.
 *
 * Owns: how it is known in a process: in glibc, and in other C libraries and runtimes, by
 *	48 c7 c0 0f 00 00 00	mov $15, %rax		b8 0f 00 00 00	mov $15, %eax
 *	0f 05			syscall			0f 05		syscall
 * The library may watch it (host/linux-user/x86/syscalls.c): then a jump out of the C
 * library stands over the first five bytes, or a breakpoint over the call's first.
 *
 * A program without any library may have none.  Then the first form is written into the last
 * bytes of the vdso's pages, where nothing is: they are the process's own as soon as they are
 * written, and anybody who has been killed has left something there that nobody executes.
 */
#include "remote.h"
#include "vdso_end.h"

#include <stdlib.h>
#include <string.h>

#define JUMP_LEN 5
#define LEN_MAX 9
/* What is searched: a C library has 2 MB; a program may be called one, too. */
#define SEARCH_MAX (64u << 20)

struct form {
	size_t call;			/* where the system call is */
	uint8_t code[LEN_MAX];
};

static const struct form forms[] = {
	{ 7, { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 } },
	{ 5, { 0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 } },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static bool leads_out(const struct remote *remote, uint64_t addr,
		      const uint8_t *code)
{
	const struct remote_map *here = remote_map_at(remote, addr), *to;
	int32_t distance;

	memcpy(&distance, code + 1, sizeof(distance));
	to = remote_map_at(remote, addr + JUMP_LEN + (uint64_t)distance);
	return here && to && to->exec && strcmp(to->path, here->path);
}

static bool has_form(const struct remote *remote, uint64_t addr, const uint8_t *code,
		     const struct form *form)
{
	const uint8_t *plain = form->code;
	size_t call = form->call;

	if (code[call + 1] != plain[call + 1] ||
	    memcmp(code + JUMP_LEN, plain + JUMP_LEN, call - JUMP_LEN))
		return false;
	if (!memcmp(code, plain, JUMP_LEN))
		return code[call] == plain[call] || code[call] == 0xcc;
	return code[0] == 0xe9 && code[call] == plain[call] &&
	       leads_out(remote, addr, code);
}

bool restorer_at(const struct remote *remote, uint64_t addr)
{
	uint8_t code[LEN_MAX];
	bool found = false;
	size_t i;

	for (i = 0; i < FORMS && !found; i++)
		found = !remote_read(remote, addr, code, forms[i].call + 2) &&
			has_form(remote, addr, code, &forms[i]);
	return found;
}

static uint64_t find_in(const struct remote *remote, const struct remote_map *map,
			const uint8_t *text, const struct form *form)
{
	size_t len = (size_t)(map->end - map->start), at;

	for (at = 0; at + form->call + 2 <= len; at++)
		if (text[at + form->call + 1] == 0x05 &&
		    has_form(remote, map->start + at, text + at, form))
			return map->start + at;
	return 0;
}

/* In text of files whose path contains part. */
static uint64_t find(const struct remote *remote, const char *part, const struct form *form)
{
	size_t i, left = SEARCH_MAX;
	uint64_t found = 0;

	for (i = 0; i < remote->maps_nr && !found; i++) {
		const struct remote_map *map = &remote->maps[i];
		size_t size = (size_t)(map->end - map->start);
		uint8_t *text;

		/* What is ours may go while a thread returns through it. */
		if (!map->exec || !strstr(map->path, part) || size > left ||
		    strstr(map->path, "/memfd:"))
			continue;
		left -= size;
		text = malloc(size);
		if (text && !remote_read(remote, map->start, text, size))
			found = find_in(remote, map, text, form);
		free(text);
	}
	return found;
}

/* glibc's first: elsewhere the other form may be in the middle of something else. */
uint64_t restorer_find(const struct remote *remote)
{
	static const char *const parts[] = { "/libc", "/" };
	uint64_t found = 0;
	size_t i, k;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && !found; i++)
		for (k = 0; k < FORMS && !found; k++)
			found = find(remote, parts[i], &forms[k]);
	return found;
}

#define MADE_ROOM 64u			/* bytes that have to be empty */

uint64_t restorer_make(const struct remote *remote)
{
	uint8_t empty[MADE_ROOM] = { 0 }, ours[MADE_ROOM] = { 0 }, there[MADE_ROOM];
	uint64_t at = vdso_end(remote, MADE_ROOM);

	at = at ? at - MADE_ROOM : 0;
	memcpy(ours, forms[0].code, LEN_MAX);
	if (!at || remote_read(remote, at, there, sizeof(there)))
		return 0;
	if (!memcmp(there, ours, sizeof(there)))
		return at;
	return memcmp(there, empty, sizeof(there)) ||
	       remote_write(remote, at, ours, sizeof(ours)) ? 0 : at;
}

void restorer_unmake(const struct remote *remote, uint64_t addr)
{
	static const uint8_t empty[LEN_MAX];

	remote_write(remote, addr, empty, sizeof(empty));
}
