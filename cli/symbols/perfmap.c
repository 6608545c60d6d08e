// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perfmap.c - names of code that a process generates.
 *
 * Owns: reading its file, one line each: "START SIZE NAME", with hexadecimal numbers.  Code is
 * moved and discarded, and its place is reused: of the lines that contain an address, the last
 * one counts.  The content is only shown.
 *
 * Invariant: everything comes from the first parsed bytes of the text, which are whole lines,
 * and is sorted.
 */
#include "perfmap.h"

#include "cli.h"
#include "jail.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)
#define PIECE 65536u
#define NEAR 64				/* entries that overlap are few */
#define WAIT_FIRST 20000000ull		/* ns, until it is there */
#define WAIT_MOST 500000000ull
#define FIRST_NR 100			/* tries that are made so soon */

void perfmap_begin(struct perfmap *map, const struct view *view)
{
	*map = (struct perfmap){ .view = view, .fd = -1 };
}

void perfmap_end(struct perfmap *map)
{
	if (map->fd >= 0)
		close(map->fd);
	free(map->text);
	free(map->all);
	map->fd = -1;
	map->text = NULL;
	map->all = NULL;
	map->nr = map->len = map->parsed = 0;
}

/* ---- lines --------------------------------------------------------------------- */

/* Without room it has no name. */
static void add(struct perfmap *map, uint64_t start, uint64_t len, size_t name)
{
	size_t room = map->all_room ? 2 * map->all_room : 1024;
	void *more;

	if (map->nr == map->all_room) {
		more = realloc(map->all, room * sizeof(*map->all));
		if (!more)
			return;
		map->all = more;
		map->all_room = room;
	}
	map->all[map->nr++] = (struct perfmap_entry){ start, start + len, name };
}

static void take_line(struct perfmap *map, char *line)
{
	char *at;
	uint64_t start = strtoull(line, &at, 16), len;

	if (at == line || *at != ' ')
		return;
	len = strtoull(at + 1, &line, 16);
	if (line == at + 1 || *line != ' ' || !len || start + len < start)
		return;
	if (line[1])
		add(map, start, len, (size_t)(line + 1 - map->text));
}

static int by_start(const void *left, const void *right)
{
	const struct perfmap_entry *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Those from `old` on are new: they are put in order, and both parts become one. */
static void put_in_order(struct perfmap *map, size_t old)
{
	size_t left = old, right = map->nr, at = map->nr;
	struct perfmap_entry *added;

	qsort(map->all + old, map->nr - old, sizeof(*map->all), by_start);
	added = old ? malloc((map->nr - old) * sizeof(*added)) : NULL;
	if (!added) {
		if (old)
			qsort(map->all, map->nr, sizeof(*map->all), by_start);
		return;
	}
	memcpy(added, map->all + old, (map->nr - old) * sizeof(*added));
	while (right > old)
		if (left && by_start(&map->all[left - 1],
				     &added[right - old - 1]) > 0)
			map->all[--at] = map->all[--left];
		else
			map->all[--at] = added[--right - old];
	free(added);
}

static void parse(struct perfmap *map)
{
	char *line = map->text + map->parsed, *end;
	size_t before = map->nr;

	while ((end = memchr(line, '\n', map->len - map->parsed))) {
		*end = 0;
		take_line(map, line);
		line = end + 1;
		map->parsed = (size_t)(line - map->text);
	}
	if (map->nr != before)
		put_in_order(map, before);
}

/* ---- the file -------------------------------------------------------------------- */

static bool make_room(struct perfmap *map)
{
	size_t room = map->room ? 2 * map->room : 4 * PIECE;
	void *more;

	if (map->room - map->len > PIECE)
		return true;
	more = room > 2 * TEXT_MAX ? NULL : realloc(map->text, room);
	if (!more)
		return false;
	map->text = more;
	map->room = room;
	return true;
}

/* Another program has begun, and says anew what it has. */
static void start_anew(struct perfmap *map)
{
	map->nr = map->len = map->parsed = 0;
}

static void read_more(struct perfmap *map)
{
	size_t before;
	struct stat st;
	ssize_t got;

	if (fstat(map->fd, &st) || (size_t)st.st_size == map->len)
		return;
	if ((size_t)st.st_size < map->len)
		start_anew(map);
	before = map->len;
	while (map->len < TEXT_MAX && make_room(map)) {
		got = pread(map->fd, map->text + map->len, PIECE, (off_t)map->len);
		if (got <= 0)
			break;
		map->len += (size_t)got;
	}
	if (map->len > before)
		parse(map);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void perfmap_look(struct perfmap *map, bool at_once)
{
	uint64_t at = now();

	if (at < map->next && !at_once)
		return;
	map->next = at + (map->tries++ < FIRST_NR ? WAIT_FIRST : WAIT_MOST);
	if (map->fd < 0)
		map->fd = jail_perf_map(map->view);
	if (map->fd >= 0)
		read_more(map);
}

/* ---- names ------------------------------------------------------------------------ */

static const struct perfmap_entry *find(const struct perfmap *map, uint64_t addr)
{
	const struct perfmap_entry *best = NULL;
	size_t low = 0, high = map->nr, tries;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (map->all[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (tries = 0; low-- > 0 && tries < NEAR; tries++)
		if (addr < map->all[low].end &&
		    (!best || map->all[low].name > best->name))
			best = &map->all[low];
	return best;
}

const char *perfmap_at(struct perfmap *map, uint64_t addr, uint64_t *start)
{
	const struct perfmap_entry *found;

	perfmap_look(map, false);
	found = find(map, addr);
	if (!found && map->fd >= 0) {
		read_more(map);
		found = find(map, addr);
	}
	if (!found)
		return NULL;
	*start = found->start;
	return map->text + found->name;
}
