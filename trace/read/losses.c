// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * losses.c - what was lost: events, hits, keys and stacks without room.
 *
 * Owns: what was told already.  The counters of an arena are hostile: one that goes
 * back is told anew when it grows again.
 */
#include "read.h"

enum { LOST, MISSED, CUT, OF_PROBE };

/* For each arena: of each probe, of each map, of stacks; then what was skipped. */
static u32 per_arena(const struct trace_reader *reader)
{
	return reader->script->probes_nr * OF_PROBE + reader->script->maps_nr + 1;
}

u32 read_losses_nr(const struct trace_reader *reader)
{
	return reader->nr * per_arena(reader) + 1;
}

/* How many are new. */
static u64 fresh(u64 *told, const u64 *counter)
{
	u64 now = __atomic_load_n(counter, __ATOMIC_RELAXED);
	u64 more = now > *told ? now - *told : 0;

	*told = now;
	return more;
}

static void say(struct trace_reader *reader, FILE *err, u64 nr, const char *what,
		const char *of, const char *advice)
{
	if (!nr)
		return;
	if (reader->format == TRACE_JSON)
		fprintf(reader->out,
			"{\"type\": \"lost_events\", \"data\": {\"events\": %lu}}\n",
			nr);
	fprintf(err, "Lost %lu %s%s%s%s: %s\n", nr, what, nr == 1 ? "" : "s",
		*of ? " of " : "", of, advice);
}

static void say_probe(struct trace_reader *reader, FILE *err, const struct kt_vm *vm,
		      u32 probe, u64 *told)
{
	const struct kt_probe_state *state =
		(const struct kt_probe_state *)(vm->arena + vm->layout.probes) + probe;
	const char *name = reader->script->probes[probe].name;

	say(reader, err, fresh(&told[LOST], &state->lost), "event", name,
	    "they came faster than they were read; print less, or count in a map");
	say(reader, err, fresh(&told[MISSED], &state->missed), "hit", name,
	    "they came within another probe");
	say(reader, err, fresh(&told[CUT], &state->cut), "hit", name,
	    "the script took too many steps; make its loops shorter");
}

static void say_arena(struct trace_reader *reader, FILE *err, const struct kt_vm *vm,
		      u64 *told)
{
	const struct kt_map_state *maps =
		(const void *)(vm->arena + vm->layout.map_states);
	const struct kt_arena *arena = (const void *)vm->arena;
	u64 stacks = __atomic_load_n(&arena->stacks_lost, __ATOMIC_RELAXED);
	u32 i;

	for (i = 0; i < reader->script->probes_nr; i++, told += OF_PROBE)
		say_probe(reader, err, vm, i, told);
	for (i = 0; i < reader->script->maps_nr; i++, told++)
		say(reader, err, fresh(told, &maps[i].full), "key",
		    reader->script->maps[i].name,
		    "the map is full; BPFTRACE_MAP_KEYS_MAX makes it larger");
	say(reader, err, fresh(told, &stacks), "stack", "",
	    "there is no room for more different ones");
}

void trace_reader_losses(struct trace_reader *reader, FILE *err)
{
	u64 *told = reader->told;
	u32 i;

	for (i = 0; i < reader->nr; i++, told += per_arena(reader))
		say_arena(reader, err, &reader->vms[i], told);
	say(reader, err, fresh(told, &reader->skipped), "byte", "the rings",
	    "they hold what no probe has written, or writers were killed");
	fflush(err);
}
