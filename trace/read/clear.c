// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * clear.c - clear() and zero().
 *
 * Owns: changing a map in all arenas at once. Hits go on meanwhile.
 */
#include "read.h"

#include <string.h>

/* Calls change for each slot in which a key is. */
static void each(const struct trace_reader *reader, u32 map,
		 void (*change)(const struct kt_vm *vm, u32 map, u32 shard,
				const u8 *key, u8 *value))
{
	u32 i, shard, slot;

	for (i = 0; i < reader->nr; i++) {
		const struct kt_vm *vm = &reader->vms[i];

		for (shard = 0; shard < kt_shards(vm->program, &vm->maps[map]); shard++)
			for (slot = 0; slot < kt_slots(&vm->maps[map]); slot++) {
				const u8 *key;
				u8 *value;

				if (kt_map_at(vm, map, shard, slot, &key, &value))
					change(vm, map, shard, key, value);
			}
	}
}

static void delete_slot(const struct kt_vm *vm, u32 map, u32 shard, const u8 *key,
			u8 *value)
{
	u64 copy[KT_KEY_MAX / 8];

	(void)value;
	memcpy(copy, key, vm->maps[map].key_len);
	kt_map_delete(vm, map, shard, copy);
}

static void zero_slot(const struct kt_vm *vm, u32 map, u32 shard, const u8 *key,
		      u8 *value)
{
	(void)shard;
	(void)key;
	memset(value, 0, kt_value_len(&vm->maps[map]));
}

void read_clear(const struct trace_reader *reader, u32 map)
{
	each(reader, map, delete_slot);
}

void read_zero(const struct trace_reader *reader, u32 map)
{
	/* In the first arena a key is shown with nothing in it. */
	read_gather(reader);
	each(reader, map, zero_slot);
}
