// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * top.c - maps while they change: the increase since the last table, the highest first.
 *
 * Owns: struct read_top, the former contents of the maps, sorted by their keys, and the form of a
 * table.  A key of several lines, such as a stack, is shown in one line.
 */
#include "read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS	20u			/* of a map, where there is no screen */
#define HISTS	3u			/* of a map */
#define MEANS	"@ns"			/* the map of trace_top.mean */

struct read_top {
	u64 since;			/* 0: no look yet */
	u32 rounds;
	struct read_table before[KT_MAPS_MAX];
};

struct row {
	u32 nr;				/* in now */
	s64 more;			/* since the last look */
	s64 weight;
};

/* One map in one round. */
struct look {
	const struct trace_reader *reader;
	const struct trace_top *how;
	const struct trace_map *map;
	struct read_table now, *before;
	u64 elapsed;
	struct row *rows;
	u32 nr;
	struct read_text *text;
};

/* ---- keys ------------------------------------------------------------------- */

static void put_key(const struct look *l, u32 nr)
{
	struct read_text key = { 0 };
	size_t at;

	read_show_key(l->reader, l->map, &l->now, nr, ", ", &key);
	while (key.len && (key.bytes[key.len - 1] == '\n' || key.bytes[key.len - 1] == ' '))
		key.len--;
	for (at = 0; at < key.len; at++) {
		if (key.bytes[at] != '\n') {
			read_put(l->text, &key.bytes[at], 1);
			continue;
		}
		/* A frame's line; the first one stands behind what there is. */
		if (at && key.bytes[at - 1] != ' ')
			read_puts(l->text, " < ");
		while (at + 1 < key.len && key.bytes[at + 1] == ' ')
			at++;
	}
	read_text_free(&key);
}

/* ---- numbers ---------------------------------------------------------------- */

static bool is_hist(const struct trace_map *map)
{
	return map->kind >= KT_MAP_HIST;
}

static bool is_mean(const struct trace_map *map)
{
	return map->kind == KT_MAP_AVG || map->kind == KT_MAP_STATS;
}

/* What grows: how often it was, or a sum. */
static s64 grown(const struct look *l, const u64 *kept)
{
	if (is_mean(l->map))
		return (s64)kept[1];
	if (l->map->kind == KT_MAP_MIN || l->map->kind == KT_MAP_MAX)
		return 0;
	return read_weight(l->map, kept, l->now.value_len);
}

/* Without what was there before; all of it, if the map was cleared meanwhile. */
static s64 more(const struct look *l, u32 nr)
{
	const u64 *was = read_find(l->before, read_key(&l->now, nr));
	s64 now = grown(l, read_kept(&l->now, nr)), then = was ? grown(l, was) : 0;
	bool counts = l->map->kind != KT_MAP_SUM && l->map->kind != KT_MAP_VALUE;

	return counts && now < then ? now : (s64)((u64)now - (u64)then);
}

/* Of this round; where nothing came, of all. */
static s64 mean(const struct read_table *before, const u8 *key, const u64 *kept)
{
	const u64 *was = read_find(before, key);
	u64 round[2] = { kept[0], kept[1] };

	if (was && kept[1] > was[1]) {
		round[0] -= was[0];
		round[1] -= was[1];
	}
	return read_average(round);
}

static void put_time(struct read_text *text, s64 ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	u32 unit = 0;

	for (; value >= 1000 && unit < ARRAY_SIZE(units) - 1; unit++)
		value /= 1000;
	read_printf(text, unit ? "%8.1f %-2s" : "%8.0f %-2s", value, units[unit]);
}

static double per_second(const struct look *l, s64 number)
{
	return (double)number * 1e9 / (double)l->elapsed;
}

/* ---- rows ------------------------------------------------------------------- */

static int by_growth(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->more != y->more)
		return x->more < y->more ? 1 : -1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static void make_rows(struct look *l)
{
	u32 i;

	l->rows = calloc((size_t)l->now.nr + 1, sizeof(*l->rows));
	for (i = 0; l->rows && i < l->now.nr; i++)
		l->rows[i] = (struct row){
			.nr = i, .more = more(l, i),
			.weight = read_weight(l->map, read_kept(&l->now, i),
					      l->now.value_len),
		};
	l->nr = l->rows ? l->now.nr : 0;
	qsort(l->rows, l->nr, sizeof(*l->rows), by_growth);
}

static void put_value(const struct look *l, const struct row *row)
{
	const u64 *kept = read_kept(&l->now, row->nr);
	const struct trace_type *type = &l->map->value;
	struct read_value value = {
		.type = type, .vm = read_vm(l->reader, &l->now, row->nr),
		.bytes = (const u8 *)kept,
		.len = type->size < l->now.value_len ? type->size : l->now.value_len,
	};

	if (l->map->kind == KT_MAP_VALUE && type->kind != TRACE_INT)
		read_show(l->reader, &value, l->text);
	else if (is_mean(l->map))
		read_printf(l->text, "%12" PRId64, mean(l->before,
						   read_key(&l->now, row->nr), kept));
	else
		read_printf(l->text, "%12" PRId64, row->weight);
}

/* means: of each key how long it took, or NULL. */
static void put_rows(const struct look *l, const struct look *means)
{
	const char *title = l->how->title ? l->how->title : l->map->name;
	u32 i, most = l->how->rows ? l->how->rows : ROWS;

	read_printf(l->text, "%10s %12s%s  %s\n", "PER SECOND",
		    is_mean(l->map) ? "MEAN" : "ALL", means ? "        MEAN" : "",
		    title);
	for (i = 0; i < l->nr && i < most; i++) {
		const u8 *key = read_key(&l->now, l->rows[i].nr);
		const u64 *time = means ? read_find(&means->now, key) : NULL;

		read_printf(l->text, "%10.0f ", per_second(l, l->rows[i].more));
		put_value(l, &l->rows[i]);
		if (time) {
			read_puts(l->text, " ");
			put_time(l->text, mean(means->before, key, time));
		} else if (means) {
			read_printf(l->text, "%12s", "-");
		}
		read_puts(l->text, "  ");
		put_key(l, l->rows[i].nr);
		read_puts(l->text, "\n");
	}
	if (l->nr > most)
		read_printf(l->text, "%23s  and %u more\n", "", l->nr - most);
}

/* What came since the last look, as a histogram of its own. */
static void put_hists(const struct look *l)
{
	u32 nr = l->now.value_len / 8, i, k;
	u64 *round = calloc(nr, sizeof(*round));

	for (i = 0; round && i < l->nr && i < HISTS; i++) {
		u32 entry = l->rows[i].nr;
		const u64 *kept = read_kept(&l->now, entry);
		const u64 *was = read_find(l->before, read_key(&l->now, entry));

		for (k = 0; k < nr; k++)
			round[k] = was && kept[k] >= was[k] ? kept[k] - was[k] : kept[k];
		read_printf(l->text, "%10.0f %12" PRId64 "  %s%s", per_second(l, l->rows[i].more),
			    l->rows[i].weight, l->map->name, l->map->keys_nr ? "[" : "");
		put_key(l, entry);
		read_puts(l->text, l->map->keys_nr ? "]\n" : "\n");
		read_show_hist(l->map, round, 1, l->text);
	}
	free(round);
}

/* ---- a table ---------------------------------------------------------------- */

/* How many characters of a line fit; what the terminal's filter spells out counts. */
static size_t cut(const char *line, size_t len, u32 columns)
{
	size_t at = 0, nr;
	u32 used = 0;

	while (at < len) {
		nr = read_character(line + at, len - at);
		used += !nr || (unsigned char)line[at] < ' ' ? 4 : 1;
		if (used > columns)
			break;
		at += nr ? nr : 1;
	}
	return at;
}

static void show(struct trace_reader *reader, const struct trace_top *how,
		 const struct read_text *text)
{
	const char *line = text->bytes, *end = text->bytes + text->len, *next;
	u32 rows = 0;
	size_t len;

	fputs(how->home, reader->out);
	for (; line < end && (!how->rows || rows < how->rows); line = next, rows++) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		len = (size_t)(next - line) - (next[-1] == '\n');
		if (how->columns)
			len = cut(line, len, how->columns);
		fwrite(line, 1, len, reader->out);
		fputs(how->line_end, reader->out);
		/* A new line in the last row would move the screen. */
		if (rows + 1 != how->rows)
			putc('\n', reader->out);
	}
	fputs(how->end, reader->out);
	fflush(reader->out);
}

static bool begin_look(struct trace_reader *reader, const struct trace_top *how,
		       u32 map, u64 elapsed, struct read_text *text, struct look *l)
{
	*l = (struct look){
		.reader = reader, .how = how, .map = &reader->script->maps[map],
		.before = &reader->top->before[map], .text = text,
		.elapsed = elapsed ? elapsed : 1,
	};
	if (!read_table(reader, map, &l->now)) {
		read_table_free(&l->now);
		return false;
	}
	read_sort_by_key(&l->now);
	return true;
}

/* The next look is compared with this one. */
static void end_look(struct look *l)
{
	read_table_free(l->before);
	*l->before = l->now;
	free(l->rows);
}

static const struct trace_map *means_of(const struct trace_reader *reader, u32 *map)
{
	for (*map = 0; *map < reader->script->maps_nr; ++*map)
		if (!strcmp(reader->script->maps[*map].name, MEANS))
			return &reader->script->maps[*map];
	return NULL;
}

static void look_at(struct trace_reader *reader, const struct trace_top *how, u32 map,
		    u64 elapsed, struct read_text *text)
{
	struct look l, means;
	bool with = false;
	u32 other;

	if (!begin_look(reader, how, map, elapsed, text, &l))
		return;
	if (how->mean && means_of(reader, &other))
		with = begin_look(reader, how, other, elapsed, text, &means);
	make_rows(&l);
	if (is_hist(l.map))
		put_hists(&l);
	else
		put_rows(&l, with ? &means : NULL);
	if (with)
		end_look(&means);
	end_look(&l);
}

static void look(struct trace_reader *reader, const struct trace_top *how, u64 elapsed)
{
	struct read_text text = { 0 };
	u32 i;

	read_strftime("%H:%M:%S", read_now(), &text);
	read_puts(&text, "\n");
	/* What begins a script of ours is all that is shown of it. */
	for (i = 0; i < reader->script->maps_nr; i++)
		if (reader->script->maps[i].kind != KT_MAP_SERIES &&
		    (!how->title || !strcmp(reader->script->maps[i].name, "@")))
			look_at(reader, how, i, elapsed, &text);
	if (!how->rows)
		read_puts(&text, "\n");
	show(reader, how, &text);
	read_text_free(&text);
}

/* What there is already has not come since. */
static void first_look(struct trace_reader *reader, const struct trace_top *how)
{
	struct look l;
	u32 i;

	for (i = 0; i < reader->script->maps_nr; i++)
		if (begin_look(reader, how, i, 1, NULL, &l))
			end_look(&l);
}

bool trace_reader_top(struct trace_reader *reader, const struct trace_top *how,
		      bool last)
{
	struct read_top *top = reader->top;
	u64 now = read_now();

	if (!top) {
		top = reader->top = calloc(1, sizeof(*top));
		if (!top)
			return true;
		top->since = now;
		first_look(reader, how);
	}
	if (how->rounds && top->rounds == how->rounds)
		return true;
	if (!last && now - top->since < how->nsecs)
		return false;
	look(reader, how, now - top->since);
	top->since = now;
	last |= ++top->rounds == how->rounds;
	/* What others print comes below. */
	if (last && how->rows)
		putc('\n', reader->out);
	return last;
}

void read_top_free(struct trace_reader *reader)
{
	u32 i;

	for (i = 0; reader->top && i < KT_MAPS_MAX; i++)
		read_table_free(&reader->top->before[i]);
	free(reader->top);
}
