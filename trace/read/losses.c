// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * losses.c - losses: events, hits, updates of maps and stacks without room.
 *
 * Owns: what was reported already.  The counters of an arena are hostile: one that decreases is
 * reported again when it grows again.  If many probes have losses, LINES of them are named.
 */
#include "read.h"

#include <inttypes.h>

#define LINES 6

#define OF_PROBE READ_LOSSES

static const struct {
	const char *what, *advice;
	const char *begin;		/* NULL: "Lost" */
} losses[READ_LOSSES] = {
	[READ_LOST] = { "event", "they came faster than they were read; print less, or "
			    "count in a map" },
	[READ_MISSED] = { "hit", "they came within another probe, or too many at once" },
	[READ_CUT] = { "hit", "the script took too many steps, or found too little of a kernel's stack; make its loops shorter" },
	[READ_UNWATCHED] = { "object", "what was to be watched is more than fits at a time, "
				  "overlaps what is watched already, or is no memory" },
	[READ_UNSEEN] = { "instruction", "they may write there, or not: where, general "
			  "registers do not say, or no probe can be on them", "Not seen:" },
	[READ_GONE] = { "place", "its object was unloaded while it was traced; what runs "
			"there after it is loaded again is not traced", "Not seen:" },
};

/* In a kernel each fault of a handler counts as a hit that was missed (K-FLT-04). */
#define MISSED_OR_FAULTED "Missed, or faulting:"
#define FAULTS_TOO "a hit within another probe, or one of too many at once, is lost; one that " \
		   "read memory which is not there is counted, too, and is not lost"

/* Of each probe, of each map, of stacks. */
u32 read_losses_nr(const struct trace_script *script)
{
	return script->probes_nr * OF_PROBE + script->maps_nr + 1;
}

/* How many are new. */
static u64 fresh(u64 *told, u64 now)
{
	u64 more = now > *told ? now - *told : 0;

	*told = now;
	return more;
}

static u64 counter(const u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static void say_as(FILE *err, const char *begin, u64 nr, const char *what,
		   const char *of, const char *advice)
{
	if (nr)
		fprintf(err, "%s %" PRIu64 " %s%s%s%s: %s\n", begin ? begin : "Lost", nr,
			what, nr == 1 ? "" : "s", *of ? " of " : "", of, advice);
}

static void say(FILE *err, u64 nr, const char *what, const char *of,
		const char *advice)
{
	say_as(err, NULL, nr, what, of, advice);
}

/* ---- probes ----------------------------------------------------------------- */

static u64 of_probe(const struct kt_vm *vm, u32 probe, enum read_loss loss)
{
	const struct kt_probe_state *states =
		(const void *)(vm->arena + vm->layout.probes);

	switch (loss) {
	case READ_LOST:
		return counter(&states[probe].lost);
	case READ_MISSED:
		return counter(&states[probe].missed);
	case READ_UNWATCHED:
		return counter(&states[probe].unwatched);
	case READ_UNSEEN:
		return counter(&states[probe].unseen);
	case READ_GONE:
		return __atomic_load_n(&states[probe].gone, __ATOMIC_RELAXED);
	default:
		return counter(&states[probe].cut);
	}
}

u64 read_lost(const struct trace_reader *reader, enum read_loss loss)
{
	u64 all = 0;
	u32 vm, i;

	for (vm = 0; vm < reader->nr; vm++)
		for (i = 0; i < reader->arenas[vm].script->probes_nr; i++)
			all = read_saturated(all, of_probe(&reader->vms[vm], i, loss));
	return all;
}

/* Of one probe, or of others whose name is given. */
static void say_loss(FILE *err, enum read_loss loss, bool kernel, u64 nr, const char *of)
{
	if (loss == READ_MISSED && kernel)
		say_as(err, MISSED_OR_FAULTED, nr, losses[loss].what, of, FAULTS_TOO);
	else
		say_as(err, losses[loss].begin, nr, losses[loss].what, of,
		       losses[loss].advice);
}

/* One kind of loss of all probes.  How many it was. */
static u64 say_probes(const struct read_arena *of, FILE *err, const struct kt_vm *vm,
		      enum read_loss loss)
{
	u32 nr = of->script->probes_nr, i, lines = 0;
	bool kernel = false;		/* one of the rest */
	u64 all = 0, rest = 0;

	for (i = 0; i < nr; i++) {
		u64 more = fresh(&of->told[i * OF_PROBE + loss],
				 of_probe(vm, i, loss));

		if (!more)
			continue;
		all = read_saturated(all, more);
		if (lines++ < LINES) {
			say_loss(err, loss, of->script->probes[i].kernel, more,
				 of->script->probes[i].name);
			continue;
		}
		rest = read_saturated(rest, more);
		kernel |= of->script->probes[i].kernel;
	}
	say_loss(err, loss, kernel, rest, "other probes");
	return all;
}

/* ---- all -------------------------------------------------------------------- */

/* How many events it was. */
static u64 say_arena(const struct read_arena *of, FILE *err, const struct kt_vm *vm)
{
	const struct kt_map_state *maps =
		(const void *)(vm->arena + vm->layout.map_states);
	const struct kt_arena *arena = (const void *)vm->arena;
	u64 *told = of->told + of->script->probes_nr * OF_PROBE;
	u64 lost = say_probes(of, err, vm, READ_LOST);
	u32 i;

	say_probes(of, err, vm, READ_MISSED);
	say_probes(of, err, vm, READ_CUT);
	say_probes(of, err, vm, READ_UNWATCHED);
	say_probes(of, err, vm, READ_UNSEEN);
	say_probes(of, err, vm, READ_GONE);
	for (i = 0; i < of->script->maps_nr; i++, told++)
		say(err, fresh(told, counter(&maps[i].full)), "update",
		    of->script->maps[i].name,
		    "the map is full; BPFTRACE_MAP_KEYS_MAX makes it larger");
	say(err, fresh(told, __atomic_load_n(&arena->stacks_lost, __ATOMIC_RELAXED)),
	    "stack", "", "there is no room for more different ones");
	return lost;
}

void trace_reader_losses(struct trace_reader *reader, FILE *err)
{
	u64 lost = 0;
	u32 i;

	for (i = 0; i < reader->nr; i++)
		lost = read_saturated(lost, say_arena(&reader->arenas[i], err,
						      &reader->vms[i]));
	say(err, fresh(&reader->told[0], reader->skipped), "byte", "the rings",
	    "they hold what no probe has written, or writers were killed");
	say(err, fresh(&reader->told[1], reader->undone), "command", "cat() and system()",
	    "they failed, or were refused");
	if (lost && reader->format == TRACE_JSON)
		fprintf(reader->out,
			"{\"type\": \"lost_events\", \"data\": {\"events\": %" PRIu64 "}}\n",
			lost);
	fflush(err);
	fflush(reader->out);
}
