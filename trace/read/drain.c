// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * drain.c - takes what the rings hold, and has it shown in order.
 *
 * Owns: the events between a ring and what is shown. An event is taken out of its ring at
 * once, so that there is room, and shown when it is so old that none which is older can
 * come.
 *
 * Invariant: what a ring gives in one turn is bounded by its size and what waits
 * by QUEUE_BYTES, whatever others write.  Records are copies.
 */
#include "read.h"

#define AGE		10000000ull	/* ns that an event waits for older ones */
#define STUCK		2000000000ull	/* ns that a ring waits for a record */
#define QUEUE_BYTES	(64u << 20)

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
		reader->leaving |= read_script(reader, vm)->events[record.head.event].kind ==
				   TRACE_EXIT;
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

/* Whoever takes the probes away is not held up by what they would do. */
void trace_reader_stop(struct trace_reader *reader)
{
	u32 i;

	for (i = 0; i < reader->nr; i++)
		__atomic_store_n(&((struct kt_arena *)(void *)reader->vms[i].arena)->stop, 1,
				 __ATOMIC_RELAXED);
}

void read_drop(struct trace_reader *reader)
{
	take_all(reader, true);
	read_queue_free(&reader->queue);
	reader->queue = (struct read_queue){ 0 };
	reader->exit = false;
}
