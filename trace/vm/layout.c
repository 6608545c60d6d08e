// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * layout.c - the layout of the arena.
 *
 * Owns: the arithmetic.  The layout follows from the program alone, and is the same for its
 * runner and its reader; nothing is read from an arena.
 */
#include "vm.h"
#include "word.h"

#define LIMIT (1ull << 40)

static u64 aligned(u64 len)
{
	return (len + 63) & ~63ull;
}

u32 kt_value_len(const struct kt_map *map)
{
	switch (map->kind) {
	case KT_MAP_VALUE:
		return map->value_len;
	case KT_MAP_COUNT:
	case KT_MAP_SUM:
		return 8;
	case KT_MAP_HIST:
		return 8 * kt_hist_buckets((u64)map->step);
	case KT_MAP_LHIST:
		return (u32)(kt_udiv((u64)map->max - (u64)map->min, (u64)map->step) + 2) * 8;
	case KT_MAP_SERIES:
		return (u32)(sizeof(struct kt_interval) * (u64)map->max);
	default:
		return 16;
	}
}

/* At most half of the places are in use. */
u32 kt_slots(const struct kt_map *map)
{
	u32 slots = 1;

	while (map->key_len && slots < 2 * map->keys)
		slots *= 2;
	return slots;
}

u32 kt_slot_len(const struct kt_map *map)
{
	return 8 + map->key_len + kt_value_len(map);
}

u32 kt_shards(const struct kt_program *program, const struct kt_map *map)
{
	return map->kind == KT_MAP_VALUE ? 1 : program->shards;
}

u64 kt_table_len(const struct kt_map *map)
{
	return aligned(sizeof(struct kt_table_head) +
		       (u64)kt_slots(map) * kt_slot_len(map));
}

u32 kt_stack_len(const struct kt_program *program)
{
	return sizeof(struct kt_stack) + 8 * program->depth;
}

bool kt_layout(const struct kt_program *program, struct kt_layout *layout)
{
	const struct kt_map *maps = (const void *)((const u8 *)program + program->maps);
	u64 at = aligned(sizeof(struct kt_arena));
	u32 i;

	layout->probes = at;
	at += aligned((u64)program->probes_nr * sizeof(struct kt_probe_state));
	layout->map_states = at;
	at += aligned((u64)program->maps_nr * sizeof(struct kt_map_state));
	for (i = 0; i < program->maps_nr; i++) {
		layout->maps[i] = at;
		at += kt_table_len(&maps[i]) * kt_shards(program, &maps[i]);
	}
	layout->stacks = at;
	at += aligned((u64)program->stacks * kt_stack_len(program));
	layout->rings = at;
	if (program->ring)
		at += (sizeof(struct kt_ring) + (u64)program->ring) * program->shards;
	layout->size = at;
	return at <= LIMIT;
}

void kt_tables(struct kt_vm *vm)
{
	u32 i;

	for (i = 0; i < vm->program->maps_nr; i++) {
		const struct kt_map *map = &vm->maps[i];

		vm->tables[i] = (struct kt_table){
			.at = vm->layout.maps[i],
			.shard_len = kt_table_len(map),
			.mask = kt_slots(map) - 1,
			.slot_len = kt_slot_len(map),
			.key_len = map->key_len,
			.value_len = kt_value_len(map),
			.shards = kt_shards(vm->program, map),
			.kind = map->kind,
		};
	}
}

void kt_arena_begin(struct kt_vm *vm, void *arena, u64 nsecs)
{
	struct kt_arena *head = arena;

	vm->arena = arena;
	if (!KT_WORDS_WHOLE)
		kt_halves_share(arena, vm->layout.size, head->locks);
	if (!nsecs)
		return;
	head->magic = KT_MAGIC;
	head->begin = nsecs;
}

void kt_arena_end(const struct kt_vm *vm)
{
	if (!KT_WORDS_WHOLE)
		kt_halves_unshare(vm->arena);
}
