// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * table.c - what a map holds: the shards of all arenas, added up and sorted.
 *
 * Owns: struct read_table.  Keys and values are copied out of the arenas first,
 * and change no more: a writer may be at work, and each number is hostile.  Counts
 * stay at their largest where they would turn over.
 *
 * A map of values has one shard; of arenas that have the same key the first counts, but
 * where it is only added to.
 * Keys with stacks are an arena's own, for so are the numbers of its stacks; and those
 * with probes and functions, if it has a script of its own.
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>

/* A copy of the table, while it is made: entries, and where a key is. */
struct collection {
	const struct trace_reader *reader;
	struct read_table *table;
	const struct kt_map *map;
	const struct trace_map *means;
	u32 room;
	u32 *places;			/* number of an entry + 1; 0: free */
	u32 mask;
	const u64 *seed;
	u32 vm;				/* whose turn it is */
};

/* ---- merging ------------------------------------------------------------- */

/* One that is only added to (added) is a sum, wherever that was. */
static void merge(const struct kt_map *map, bool added, u64 *into, const u64 *from)
{
	u32 i, nr = kt_value_len(map) / 8;

	switch (map->kind) {
	case KT_MAP_VALUE:
		if (added)
			into[0] += from[0];
		break;
	case KT_MAP_COUNT:
		into[0] = read_saturated(into[0], from[0]);
		break;
	case KT_MAP_SUM:
		into[0] += from[0];
		break;
	case KT_MAP_MIN:
	case KT_MAP_MAX:
		if (from[1] && from[0] > into[0])
			into[0] = from[0];
		into[1] |= from[1];
		break;
	case KT_MAP_AVG:
	case KT_MAP_STATS:
		into[0] += from[0];
		into[1] = read_saturated(into[1], from[1]);
		break;
	case KT_MAP_SERIES:
		read_merge_series(map, into, from);
		break;
	default:
		for (i = 0; i < nr; i++)
			into[i] = read_saturated(into[i], from[i]);
	}
}

/* ---- collecting ---------------------------------------------------------- */

static u8 *entry_at(const struct read_table *table, u32 nr)
{
	return table->entries + (u64)nr * table->entry_len;
}

const u8 *read_key(const struct read_table *table, u32 nr)
{
	return entry_at(table, nr) + 8;
}

const u64 *read_kept(const struct read_table *table, u32 nr)
{
	return (const u64 *)(read_key(table, nr) + table->key_len);
}

static u32 vm_of(const struct read_table *table, u32 nr)
{
	u32 vm;

	memcpy(&vm, entry_at(table, nr), sizeof(vm));
	return vm;
}

const struct kt_vm *read_vm(const struct trace_reader *reader,
			    const struct read_table *table, u32 nr)
{
	return &reader->vms[vm_of(table, nr)];
}

/* Keys are hostile: where they are put cannot be known without the seed. */
static u32 place_of(const struct collection *c, u32 nr)
{
	const u64 *words = (const u64 *)read_key(c->table, nr);
	u64 hash = c->seed[0] + (c->table->apart ? vm_of(c->table, nr) : 0);
	u32 i;

	for (i = 0; i < c->table->key_len / 8; i++) {
		hash = (hash ^ words[i]) * (c->seed[1] | 1);
		hash ^= hash >> 32;
	}
	return (u32)(hash * 0x9fb21c651e98df25ull >> 32) & c->mask;
}

static void index_all(struct collection *c)
{
	u32 i, place;

	memset(c->places, 0, ((size_t)c->mask + 1) * sizeof(*c->places));
	for (i = 0; i < c->table->nr; i++) {
		place = place_of(c, i);
		while (c->places[place])
			place = (place + 1) & c->mask;
		c->places[place] = i + 1;
	}
}

/* Room for one more entry, and for twice as many places. */
static bool grow(struct collection *c)
{
	u32 room = c->room ? 2 * c->room : 64;
	u8 *entries = realloc(c->table->entries, (size_t)room * c->table->entry_len);
	u32 *places;

	if (!entries)
		return false;
	c->table->entries = entries;
	places = realloc(c->places, 2 * (size_t)room * sizeof(*places));
	if (!places)
		return false;
	c->places = places;
	c->mask = 2 * room - 1;
	c->room = room;
	index_all(c);
	return true;
}

/* Where the copy, which stands behind the last entry, has its place. */
static u32 *find(const struct collection *c)
{
	const struct read_table *table = c->table;
	const u8 *key = read_key(table, table->nr);
	u32 place = place_of(c, table->nr), at;

	for (; (at = c->places[place]); place = (place + 1) & c->mask)
		if (!memcmp(read_key(table, at - 1), key, table->key_len) &&
		    (!c->table->apart || vm_of(table, at - 1) == c->vm))
			break;
	return &c->places[place];
}

/* The key, and the value behind it. */
static void correct(const struct collection *c, u8 *key)
{
	const struct trace_field value = { .type = c->means->value };
	const struct kt_vm *vm = &c->reader->vms[c->vm];

	read_own(c->reader, vm, c->means->keys, c->means->keys_nr, key,
		 c->table->key_len);
	if (c->map->kind == KT_MAP_VALUE)
		read_own(c->reader, vm, &value, 1, key + c->table->key_len,
			 c->table->value_len);
}

static bool take(struct collection *c, const u8 *key, const u8 *value)
{
	struct read_table *table = c->table;
	u32 *place;
	u8 *entry;

	if (table->nr == c->room && !grow(c))
		return false;
	entry = entry_at(table, table->nr);
	memset(entry, 0, 8);
	memcpy(entry, &c->vm, sizeof(c->vm));
	memcpy(entry + 8, key, table->key_len);
	memcpy(entry + 8 + table->key_len, value, table->value_len);
	if (c->vm && read_is_empty(c->map, read_kept(table, table->nr)))
		return true;
	correct(c, (u8 *)(uintptr_t)read_key(table, table->nr));
	place = find(c);
	if (*place)
		merge(c->map, c->means->added, (u64 *)read_kept(table, *place - 1),
		      read_kept(table, table->nr));
	else
		*place = ++table->nr;
	return true;
}

static bool collect(const struct trace_reader *reader, u32 map,
		    struct collection *c)
{
	u32 shard, slot;

	for (c->vm = 0; c->vm < reader->nr; c->vm++) {
		const struct kt_vm *vm = &reader->vms[c->vm];

		for (shard = 0; shard < kt_shards(vm->program, c->map); shard++)
			for (slot = 0; slot < kt_slots(c->map); slot++) {
				const u8 *key;
				u8 *value;

				if (kt_map_at(vm, map, shard, slot, &key, &value) &&
				    !take(c, key, value))
					return false;
			}
	}
	return true;
}

/* ---- order --------------------------------------------------------------- */

static int field_order(const struct trace_field *field, const u8 *a, const u8 *b,
		       u32 len)
{
	struct read_value x = read_field(field, NULL, a, len);
	struct read_value y = read_field(field, NULL, b, len);
	s64 m, n;

	if (field->type.kind != TRACE_INT)
		return memcmp(x.bytes, y.bytes, x.len);
	m = read_number(&x);
	n = read_number(&y);
	return m < n ? -1 : m > n;
}

static int order(const void *a, const void *b, void *arg)
{
	const struct collection *c = arg;
	const struct trace_map *map = c->means;
	u32 key_len = c->table->key_len, value_len = c->table->value_len, i;
	const u8 *x = (const u8 *)a + 8, *y = (const u8 *)b + 8;
	s64 m = read_weight(map, (const u64 *)(x + key_len), value_len);
	s64 n = read_weight(map, (const u64 *)(y + key_len), value_len);
	int found = m < n ? -1 : m > n;

	for (i = 0; !found && i < map->keys_nr; i++)
		found = field_order(&map->keys[i], x, y, key_len);
	return found;
}

static bool holds_place(const struct trace_type *type)
{
	u32 i;

	for (i = 0; type->kind == TRACE_TUPLE && i < type->fields_nr; i++)
		if (holds_place(&type->fields[i].type))
			return true;
	return type->kind == TRACE_PROBE || type->kind == TRACE_FUNC;
}

bool read_is_apart(const struct trace_reader *reader, const struct trace_map *map)
{
	bool own = false;
	u32 i;

	for (i = 0; i < reader->nr; i++)
		own |= reader->arenas[i].script != reader->script;
	for (i = 0; i < map->keys_nr; i++)
		if (read_holds_stack(&map->keys[i].type) ||
		    (own && holds_place(&map->keys[i].type)))
			return true;
	return false;
}

bool read_table(const struct trace_reader *reader, u32 map, struct read_table *table)
{
	const struct trace_map *means = &reader->script->maps[map];
	const struct kt_map *kept = &reader->vms[0].maps[map];
	struct collection c = { .reader = reader, .table = table, .map = kept, .means = means,
				.seed = reader->seed };
	bool done;

	*table = (struct read_table){
		.key_len = kept->key_len, .value_len = kt_value_len(kept),
		.apart = read_is_apart(reader, means),
	};
	table->entry_len = 8 + table->key_len + table->value_len;
	done = collect(reader, map, &c);
	free(c.places);
	if (table->nr)
		qsort_r(table->entries, table->nr, table->entry_len, order,
			&c);
	return done;
}

struct key_order {
	u32 begin, len;
};

static int by_key(const void *a, const void *b, void *arg)
{
	const struct key_order *order = arg;

	return memcmp((const u8 *)a + order->begin, (const u8 *)b + order->begin,
		      order->len);
}

/* The arena's number, before the key, counts where it is apart. */
static struct key_order key_order(const struct read_table *table)
{
	u32 begin = table->apart ? 0 : 8;

	return (struct key_order){ begin, 8 + table->key_len - begin };
}

void read_sort_by_key(struct read_table *table)
{
	struct key_order order = key_order(table);

	if (table->nr)
		qsort_r(table->entries, table->nr, table->entry_len, by_key, &order);
}

const u64 *read_find(const struct read_table *in, const u8 *key)
{
	struct key_order order = key_order(in);
	u32 low = 0, high = in->nr, middle;
	int found;

	while (low < high) {
		middle = low + (high - low) / 2;
		found = by_key(read_key(in, middle) - 8, key - 8, &order);
		if (!found)
			return read_kept(in, middle);
		if (found < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void read_table_free(struct read_table *table)
{
	free(table->entries);
}
