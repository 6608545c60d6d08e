// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reader.c - takes what the rings hold, and has it shown in order.
 *
 * Owns: struct trace_reader.  An event is taken out of its ring at once, so that
 * there is room, and shown when it is so old that none which is older can come.
 *
 * Invariant: what a ring gives in one turn is bounded by its size and what waits
 * by QUEUE_BYTES, whatever others write.  Records are copies.
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#define AGE		10000000ull	/* ns that an event waits for older ones */
#define STUCK		2000000000ull	/* ns that a ring waits for a record */
#define QUEUE_BYTES	(64u << 20)

u64 read_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static void show_until(struct trace_reader *reader, u64 nsecs)
{
	struct read_queue *queue = &reader->queue;

	while (queue->nr && !reader->exit &&
	       (queue->heap[0].nsecs <= nsecs || queue->bytes > QUEUE_BYTES)) {
		struct read_event *event = read_queue_take(queue);

		read_happen(reader, event);
		read_queue_give(queue, event);
	}
}

/* ---- rings --------------------------------------------------------------- */

/*
 * A record that was begun and is not finished keeps those behind it: its writer was
 * killed.  False: there may be more, later.
 */
static bool is_stuck(const struct kt_vm *vm, u32 shard, u64 *since, u64 now)
{
	const struct kt_ring *ring = (const void *)
		(vm->arena + vm->layout.rings +
		 shard * (sizeof(struct kt_ring) + (u64)vm->program->ring));
	u64 head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	u64 tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);

	if (head == tail)
		*since = 0;
	else if (!*since)
		*since = now;
	return *since && now - *since > STUCK;
}

static void read_own_event(const struct trace_reader *reader, const struct kt_vm *vm,
			   struct kt_record *record)
{
	const struct trace_script *script = read_script(reader, vm);
	const struct trace_event *event = &script->events[record->event];

	read_own(reader, vm, event->fields, event->fields_nr, record->bytes,
		 record->len - (u32)sizeof(*record));
}

static void take_ring(struct trace_reader *reader, const struct kt_vm *vm, u32 shard,
		      u64 *stuck, bool last)
{
	union {
		struct kt_record head;
		u8 bytes[KT_RECORD_MAX];
	} record;
	u64 taken = 0, now = read_now(), len;

	while (taken < vm->program->ring) {
		len = kt_ring_take(vm, shard, &record, &reader->skipped);
		if (!len) {
			if (!is_stuck(vm, shard, stuck, now) && !last)
				return;
			if (!kt_ring_skip(vm, shard, &reader->skipped))
				return;
			taken += sizeof(struct kt_record);
			continue;
		}
		taken += len;
		*stuck = 0;
		read_own_event(reader, vm, &record.head);
		/* A time that is still to come would keep it for ever. */
		if (!read_queue_put(&reader->queue, vm,
				    record.head.nsecs < now ? record.head.nsecs : now,
				    &record.head))
			reader->skipped += len;
	}
}

static void take_all(struct trace_reader *reader, bool last)
{
	u32 i, shard;

	for (i = 0; i < reader->nr; i++) {
		const struct kt_vm *vm = &reader->vms[i];

		if (!vm->program->ring)
			continue;
		for (shard = 0; shard < vm->program->shards; shard++) {
			take_ring(reader, vm, shard,
				  &reader->arenas[i].stuck[shard], last);
			/* Nothing is so old, but there may be too much. */
			show_until(reader, 0);
		}
	}
}

bool trace_reader_drain(struct trace_reader *reader, bool last)
{
	u64 now = read_now();

	take_all(reader, last);
	show_until(reader, last ? UINT64_MAX : now - AGE);
	read_timeline_look(reader, last);
	fflush(reader->out);
	return reader->exit;
}

void read_drop(struct trace_reader *reader)
{
	take_all(reader, true);
	read_queue_free(&reader->queue);
	reader->queue = (struct read_queue){ 0 };
	reader->exit = false;
}

/* ---- all of it ----------------------------------------------------------- */

static bool add_arena(struct trace_reader *reader, const struct trace_script *script)
{
	struct read_arena *arenas, *one;

	arenas = realloc(reader->arenas, (reader->nr + 1) * sizeof(*arenas));
	if (!arenas)
		return false;
	reader->arenas = arenas;
	one = &arenas[reader->nr];
	one->script = script;
	one->stuck = calloc(KT_SHARDS_MAX, sizeof(u64));
	one->told = calloc(read_losses_nr(script), sizeof(u64));
	reader->nr++;
	return one->stuck && one->told;
}

/* Maps are added up: they must be the same, to the byte. */
static bool is_alike(const struct trace_reader *reader,
		     const struct trace_script *script)
{
	const struct kt_vm *first = &reader->vms[0], *vm = &reader->vms[reader->nr];
	u32 i;

	if (script->maps_nr != reader->script->maps_nr)
		return false;
	for (i = 0; i < script->maps_nr; i++)
		if (strcmp(script->maps[i].name, reader->script->maps[i].name) ||
		    memcmp(&vm->maps[i], &first->maps[i], sizeof(*vm->maps)))
			return false;
	return true;
}

bool trace_reader_add(struct trace_reader *reader,
		      const struct trace_script *script)
{
	if (!is_alike(reader, script) || !add_arena(reader, script))
		return false;
	read_share_values(reader, reader->nr - 1);
	return true;
}

struct trace_reader *trace_reader_new(const struct trace_script *script,
				      const struct kt_vm *vms,
				      const uint32_t *pids, unsigned int nr,
				      const struct trace_symbols *symbols,
				      enum trace_format format, FILE *out)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	struct trace_reader *reader = calloc(1, sizeof(*reader));
	unsigned int i;

	if (!reader)
		return NULL;
	*reader = (struct trace_reader){
		.script = script, .vms = vms, .pids = pids,
		.symbols = *symbols,
		.format = format, .out = out,
	};
	reader->due = calloc(script->blocks_nr + 1, sizeof(u64));
	for (i = 0; i < nr && add_arena(reader, script); i++)
		;
	if (i < nr || !reader->due) {
		trace_reader_free(reader);
		return NULL;
	}
	memcpy(reader->seed, random, sizeof(reader->seed));
	read_host_begin();
	read_blocks_begin(reader);
	return reader;
}

const struct trace_script *read_script(const struct trace_reader *reader,
				       const struct kt_vm *vm)
{
	return vm ? reader->arenas[vm - reader->vms].script : reader->script;
}

u32 read_pid(const struct trace_reader *reader, const struct kt_vm *vm, u32 said)
{
	u32 pid = vm ? reader->pids[vm - reader->vms] : 0;

	return pid ? pid : said;
}

u32 read_whose(const struct trace_reader *reader, const struct kt_vm *vm, u32 said)
{
	u32 arena = vm ? (u32)(vm - reader->vms) : 0;

	return vm && reader->pids[arena] ? TRACE_ARENA | arena : said;
}

int trace_reader_status(const struct trace_reader *reader)
{
	return reader->status;
}

void trace_reader_free(struct trace_reader *reader)
{
	unsigned int i;

	if (!reader)
		return;
	read_queue_free(&reader->queue);
	read_top_free(reader);
	read_timeline_free(reader);
	for (i = 0; i < reader->nr; i++) {
		free(reader->arenas[i].stuck);
		free(reader->arenas[i].told);
	}
	free(reader->arenas);
	free(reader->due);
	free(reader);
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct trace_map *maps = arg;

	return strcmp(maps[*(const u32 *)a].name, maps[*(const u32 *)b].name);
}

void trace_reader_maps(struct trace_reader *reader)
{
	u32 order[KT_MAPS_MAX], nr = reader->script->maps_nr, i;

	for (i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(order[0]), by_name, reader->script->maps);
	if (reader->format == TRACE_TEXT)
		fputs("\n\n", reader->out);
	for (i = 0; i < nr; i++)
		if (!reader->script->maps[order[i]].hidden)
			read_print_map(reader, order[i], 0, 0);
	fflush(reader->out);
}

void trace_reader_attached(struct trace_reader *reader, unsigned int probes)
{
	probes += reader->script->blocks_nr;
	if (reader->format == TRACE_JSON)
		fprintf(reader->out,
			"{\"type\": \"attached_probes\", \"data\": {\"probes\": %u}}\n",
			probes);
	else
		fprintf(reader->out, "Attaching %u probe%s...\n", probes,
			probes == 1 ? "" : "s");
	fflush(reader->out);
}
