// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * counters.c - maps of numbers as counters of a timeline.
 *
 * Owns: struct counters: the values of a map's keys at the last look.  Each key is a track of
 * its own; the first KEYS of a map are shown.  The caller looks from time to time: a number that
 * did not change is not written again.
 */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 64u

struct counter {
	u64 id;
	s64 value;
	u8 *key;			/* behind 8 bytes, as in a table */
};

struct counters {
	struct counter all[KEYS];
	u32 nr;
};

struct counters *read_counters_new(const struct trace_reader *reader)
{
	return calloc((size_t)reader->script->maps_nr + 1, sizeof(struct counters));
}

/* Keys with stacks are no names, and a histogram is no number. */
static bool is_counter(const struct trace_map *map)
{
	u32 i;

	for (i = 0; i < map->keys_nr; i++)
		if (read_holds_stack(&map->keys[i].type))
			return false;
	return map->kind < KT_MAP_HIST &&
	       (map->kind != KT_MAP_VALUE || map->value.kind == TRACE_INT);
}

static void put_value(struct read_timeline *t, u64 nsecs, struct counter *counter,
		      s64 value)
{
	counter->value = value;
	read_event_begin(t, nsecs, COUNTER, counter->id);
	read_proto_number(&t->message, EVENT_COUNTER, (u64)value);
	read_event_end(t);
}

static void put_track(struct trace_reader *reader, const struct trace_map *map,
		      const struct read_table *table, u32 nr, u64 id)
{
	struct read_timeline *t = reader->timeline;
	struct read_text name = { 0 }, none = { 0 };

	read_puts(&name, map->name);
	if (map->keys_nr) {
		read_puts(&name, "[");
		read_show_key(reader, map, table, nr, ", ", &name);
		read_puts(&name, "]");
	}
	read_packet_begin(t, 0);
	read_proto_number(&t->message, TRACK_ID, id);
	read_proto_string(&t->message, TRACK_NAME, name.bytes, name.len);
	read_proto_message(&t->message, TRACK_COUNTER, &none);
	read_proto_message(&t->packet, PACKET_TRACK, &t->message);
	read_packet_end(t);
	read_text_free(&name);
}

/* A key that was not there before. */
static void add(struct trace_reader *reader, u32 map, const struct read_table *table,
		u32 nr, u64 nsecs)
{
	struct counters *counters = &reader->timeline->counters[map];
	const struct trace_map *means = &reader->script->maps[map];
	struct counter *counter = &counters->all[counters->nr];
	u32 i, begin = table->apart ? 0 : 8;

	for (i = 0; i < counters->nr; i++)
		if (!memcmp(counters->all[i].key + begin, read_key(table, nr) - 8 + begin,
			    8 + table->key_len - begin))
			return;
	counter->key = malloc(8 + table->key_len);
	if (!counter->key)
		return;
	memcpy(counter->key, read_key(table, nr) - 8, 8 + table->key_len);
	counter->id = track(OF_COUNTER, (u64)map << 32 | counters->nr++);
	put_track(reader, means, table, nr, counter->id);
	put_value(reader->timeline, nsecs, counter,
		  read_weight(means, read_kept(table, nr), table->value_len));
}

static void look_at(struct trace_reader *reader, u32 map, u64 nsecs)
{
	struct counters *counters = &reader->timeline->counters[map];
	const struct trace_map *means = &reader->script->maps[map];
	struct read_table table;
	u32 i;

	read_table(reader, map, &table);
	read_sort_by_key(&table);
	for (i = 0; i < counters->nr; i++) {
		struct counter *counter = &counters->all[i];
		const u64 *kept = read_find(&table, counter->key + 8);
		s64 value = kept ? read_weight(means, kept, table.value_len) : 0;

		if (value != counter->value)
			put_value(reader->timeline, nsecs, counter, value);
	}
	for (i = 0; i < table.nr && counters->nr < KEYS; i++)
		add(reader, map, &table, i, nsecs);
	read_table_free(&table);
}

void read_counters(struct trace_reader *reader, u64 nsecs)
{
	u32 i;

	for (i = 0; i < reader->script->maps_nr; i++)
		if (is_counter(&reader->script->maps[i]))
			look_at(reader, i, nsecs);
}

void read_counters_free(struct trace_reader *reader)
{
	struct counters *counters = reader->timeline->counters;
	u32 map, i;

	for (map = 0; counters && map < reader->script->maps_nr; map++)
		for (i = 0; i < counters[map].nr; i++)
			free(counters[map].all[i].key);
	free(counters);
}
