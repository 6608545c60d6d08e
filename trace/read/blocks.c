// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * blocks.c - BEGIN, END and intervals, which run in the reader.
 *
 * Owns: when they are due.  They work in the first arena, into which all counts are gathered
 * first. What BEGIN sets in maps of values is copied to the other arenas, so all start alike;
 * later each has its own.  A block has a probe number behind those of the script's probes.
 */
#include "read.h"

#include <inttypes.h>
#include <string.h>

static void run(struct trace_reader *reader, u32 block)
{
	struct kt_hit hit = { .probe = reader->script->probes_nr + block };

	read_gather(reader);
	kt_run(&reader->vms[0], reader->script->blocks[block].first, &hit);
}

void read_share_values(struct trace_reader *reader, u32 to)
{
	const struct kt_vm *vm = &reader->vms[0], *other = &reader->vms[to];
	u32 map, slot;

	for (map = 0; map < vm->program->maps_nr; map++) {
		u64 copy[KT_KEY_MAX / 8];
		const u8 *key;
		u8 *from, *into;

		/* What is only added to is the first one's already. */
		for (slot = 0; vm->maps[map].kind == KT_MAP_VALUE &&
			       !reader->script->maps[map].added &&
			       slot < kt_slots(&vm->maps[map]); slot++) {
			if (!kt_map_at(vm, map, 0, slot, &key, &from))
				continue;
			memcpy(copy, key, vm->maps[map].key_len);
			into = kt_map_make(other, map, 0, copy);
			if (into)
				memcpy(into, from, kt_value_len(&vm->maps[map]));
		}
	}
}

void trace_reader_blocks(struct trace_reader *reader, enum trace_block_kind kind)
{
	const struct trace_script *script = reader->script;
	u64 now = read_now();
	u32 i;

	if (kind == TRACE_END && reader->exit)
		read_drop(reader);
	/* It is on its way: nothing is done behind it. */
	if (kind == TRACE_INTERVAL && reader->leaving)
		return;
	for (i = 0; i < script->blocks_nr; i++) {
		u64 period = script->blocks[i].nsecs ? script->blocks[i].nsecs : 1;

		if (script->blocks[i].kind != kind)
			continue;
		if (kind == TRACE_INTERVAL) {
			if (now < reader->due[i])
				continue;
			/* Those that were missed are not made up for. */
			reader->due[i] = now + period - (now - reader->due[i]) % period;
		}
		run(reader, i);
	}
	for (i = 1; i < reader->nr && kind == TRACE_BEGIN; i++)
		read_share_values(reader, i);
}

void read_blocks_begin(struct trace_reader *reader)
{
	u64 now = read_now();
	u32 i;

	for (i = 0; i < reader->script->blocks_nr; i++)
		reader->due[i] = now + reader->script->blocks[i].nsecs;
}

uint64_t trace_reader_next(const struct trace_reader *reader)
{
	u64 now = read_now(), next = UINT64_MAX;
	u32 i;

	for (i = 0; i < reader->script->blocks_nr; i++) {
		u64 due = reader->due[i], left = due > now ? due - now : 0;

		if (reader->script->blocks[i].kind == TRACE_INTERVAL && left < next)
			next = left;
	}
	return next;
}
