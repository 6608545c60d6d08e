// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gather.c - moving the counts of other arenas into the first.
 *
 * Owns: the move.  Blocks work in the first arena: before one runs, everything that it may read
 * is there.  Hits continue meanwhile: each word is taken and added at once, so none is lost.  A
 * key stays where it was, with nothing in it (read_is_empty()).
 *
 * Maps of values stay separate: it is not known which arena has the newer value.  So do time
 * series, whose words belong together.
 */
#include "read.h"

#include <string.h>

static void move(const struct kt_vm *to, u32 map, const u64 *key, u64 *kept)
{
	u32 kind = to->maps[map].kind, nr = kt_value_len(&to->maps[map]) / 8, i;
	u64 *sum = (u64 *)kt_map_make(to, map, 0, key), word;

	/* Without room it stays where it is. */
	if (!sum)
		return;
	if (kind == KT_MAP_MIN || kind == KT_MAP_MAX) {
		word = __atomic_exchange_n(kept, 0, __ATOMIC_RELAXED);
		if (word)
			kt_map_add(to, map, 0, key, kt_extreme(kind, word));
		return;
	}
	for (i = 0; i < nr; i++) {
		word = __atomic_exchange_n(&kept[i], 0, __ATOMIC_RELAXED);
		__atomic_fetch_add(&sum[i], word, __ATOMIC_RELAXED);
	}
}

static void gather_slot(const struct kt_vm *to, const struct kt_vm *vm, u32 map,
			u32 shard, u32 slot)
{
	u64 copy[KT_KEY_MAX / 8];
	const u8 *key;
	u8 *kept;

	if (!kt_map_at(vm, map, shard, slot, &key, &kept))
		return;
	memcpy(copy, key, vm->maps[map].key_len);
	if (!read_is_empty(&vm->maps[map], (const u64 *)kept))
		move(to, map, copy, (u64 *)kept);
}

static void gather_map(const struct trace_reader *reader, u32 map)
{
	const struct kt_vm *first = &reader->vms[0];
	u32 i, shard, slot;

	for (i = 1; i < reader->nr; i++)
		for (shard = 0; shard < kt_shards(first->program, &first->maps[map]);
		     shard++)
			for (slot = 0; slot < kt_slots(&first->maps[map]); slot++)
				gather_slot(first, &reader->vms[i], map, shard, slot);
}

/* A process is who it is by its arena. */
static bool may_move(const struct trace_reader *reader, const struct trace_map *map)
{
	return map->kind != KT_MAP_VALUE && map->kind != KT_MAP_SERIES && !read_is_apart(reader, map) &&
	       !read_has_own_keys(map);
}

void read_gather(const struct trace_reader *reader)
{
	const struct trace_map *maps = reader->script->maps;
	u32 map;

	for (map = 0; map < reader->script->maps_nr; map++)
		if (may_move(reader, &maps[map]))
			gather_map(reader, map);
}
