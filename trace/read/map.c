// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * map.c - printing maps.
 *
 * Owns: the form of a map, as text and as JSON; hist.c has the histograms.  Values are printed in
 * order, the largest last.
 */
#include "read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct print {
	struct trace_reader *reader;
	const struct trace_map *map;
	struct read_table table;
	u32 first;			/* of the entries that are shown */
	u64 div;
	struct read_text text;
};

static bool is_hist(const struct trace_map *map)
{
	return map->kind == KT_MAP_HIST || map->kind == KT_MAP_LHIST;
}

static bool is_series(const struct trace_map *map)
{
	return map->kind == KT_MAP_SERIES;
}

static bool is_stats(const struct trace_map *map)
{
	return map->kind == KT_MAP_STATS || map->kind == KT_MAP_AVG;
}

/* ---- keys ---------------------------------------------------------------- */

void read_show_key(const struct trace_reader *reader, const struct trace_map *map,
		   const struct read_table *table, u32 nr, const char *between,
		   struct read_text *text)
{
	u32 i;

	for (i = 0; i < map->keys_nr; i++) {
		struct read_value value = read_field(&map->keys[i],
						     read_vm(reader, table, nr),
						     read_key(table, nr), table->key_len);

		value.key = true;
		read_puts(text, i ? between : "");
		read_show(reader, &value, text);
	}
}

static void put_key_json(struct print *p, u32 nr)
{
	struct read_text key = { 0 };

	read_show_key(p->reader, p->map, &p->table, nr, ",", &key);
	read_puts(&p->text, "\"");
	read_escape(&p->text, key.bytes, key.len);
	read_puts(&p->text, "\": ");
	read_text_free(&key);
}

/* ---- values -------------------------------------------------------------- */

static s64 divided(const struct print *p, s64 number)
{
	return p->div > 1 && p->div <= INT64_MAX ? number / (s64)p->div : number;
}

static void put_stats(struct print *p, const u64 *kept, const char *format)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	read_printf(&p->text, format, kept[1], read_average(kept), (s64)kept[0]);
#pragma GCC diagnostic pop
}

static void put_plain(struct print *p, u32 nr)
{
	const struct trace_type *type = &p->map->value;
	struct read_value value = {
		.type = type, .vm = read_vm(p->reader, &p->table, nr),
		.bytes = (const u8 *)read_kept(&p->table, nr),
		.len = type->size < p->table.value_len ? type->size :
							 p->table.value_len,
	};

	if (type->kind == TRACE_INT && p->div > 1)
		read_printf(&p->text, "%" PRId64, divided(p, read_number(&value)));
	else if (p->reader->format == TRACE_JSON)
		read_show_json(p->reader, &value, &p->text);
	else
		read_show(p->reader, &value, &p->text);
}

static void put_value(struct print *p, u32 nr)
{
	const u64 *kept = read_kept(&p->table, nr);
	bool json = p->reader->format == TRACE_JSON;

	switch (p->map->kind) {
	case KT_MAP_VALUE:
		put_plain(p, nr);
		break;
	case KT_MAP_COUNT:
		read_printf(&p->text, "%" PRIu64, p->div > 1 ? kept[0] / p->div : kept[0]);
		break;
	case KT_MAP_SUM:
		if ((p->map->value.kind == TRACE_INT || p->map->value.kind == TRACE_ENUM) &&
		    !p->map->value.sign)
			read_printf(&p->text, "%" PRIu64,
				    p->div > 1 ? kept[0] / p->div : kept[0]);
		else
			read_printf(&p->text, "%" PRId64, divided(p, (s64)kept[0]));
		break;
	case KT_MAP_MIN:
	case KT_MAP_MAX:
		read_printf(&p->text, "%" PRId64,
			    divided(p, kept[1] ? kt_extreme(p->map->kind, kept[0]) : 0));
		break;
	case KT_MAP_AVG:
		read_printf(&p->text, "%" PRId64, divided(p, read_average(kept)));
		break;
	case KT_MAP_STATS:
		put_stats(p, kept, json ?
			  "{\"count\": %" PRIu64 ", \"average\": %" PRId64 ", \"total\": %" PRId64 "}" :
			  "count %" PRIu64 ", average %" PRId64 ", total %" PRId64);
		break;
	case KT_MAP_SERIES:
		if (json)
			read_show_series_json(p->map, kept, p->div, &p->text);
		else
			read_show_series(p->map, kept, p->div, &p->text);
		break;
	default:
		if (json)
			read_show_hist_json(p->map, kept, p->div, &p->text);
		else
			read_show_hist(p->map, kept, p->div, &p->text);
	}
}

/* ---- maps ---------------------------------------------------------------- */

static void print_text(struct print *p)
{
	u32 i;

	for (i = p->first; i < p->table.nr; i++) {
		read_puts(&p->text, p->map->name);
		if (p->map->keys_nr) {
			read_puts(&p->text, "[");
			read_show_key(p->reader, p->map, &p->table, i, ", ",
				      &p->text);
			read_puts(&p->text, "]");
		}
		read_puts(&p->text, is_hist(p->map) || is_series(p->map) ? ": \n" : ": ");
		put_value(p, i);
		read_puts(&p->text, "\n");
	}
	if (!p->table.nr || is_stats(p->map))
		read_puts(&p->text, "\n");
}

static void print_json(struct print *p)
{
	u32 i;

	if (!p->table.nr)
		return;
	read_printf(&p->text, "{\"type\": \"%s\", \"data\": {\"%s\": %s",
		    is_hist(p->map) ? "hist" : is_series(p->map) ? "tseries" : is_stats(p->map) ? "stats" : "map",
		    p->map->name, p->map->keys_nr ? "{" : "");
	for (i = p->first; i < p->table.nr; i++) {
		read_puts(&p->text, i > p->first ? ", " : "");
		if (p->map->keys_nr)
			put_key_json(p, i);
		put_value(p, i);
	}
	read_puts(&p->text, p->map->keys_nr ? "}}}\n" : "}}\n");
}

static void print(struct print *p)
{
	if (p->reader->format == TRACE_JSON)
		print_json(p);
	else
		print_text(p);
	read_out(p->reader->out, &p->text);
}

void read_print_map(struct trace_reader *reader, u32 map, u64 top, u64 div)
{
	struct print p = { .reader = reader, .map = &reader->script->maps[map] };

	read_table(reader, map, &p.table);
	if (p.map->kind != KT_MAP_STATS) {
		p.first = top && top < p.table.nr ? p.table.nr - (u32)top : 0;
		p.div = div;
	}
	print(&p);
	read_table_free(&p.table);
}

void read_print_key(struct trace_reader *reader, u32 map, const u8 *key, u64 div)
{
	struct print p = {
		.reader = reader, .map = &reader->script->maps[map], .div = div,
	};
	struct read_table all;
	u32 i;

	read_table(reader, map, &all);
	p.table = all;
	for (i = 0; i < all.nr; i++)
		if (!memcmp(read_key(&all, i), key, all.key_len))
			break;
	p.table.nr = i < all.nr ? i + 1 : 0;
	p.first = i < all.nr ? i : 0;
	print(&p);
	read_table_free(&all);
}
