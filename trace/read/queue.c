// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * queue.c - events of many rings, in order of time.
 *
 * Owns: struct read_queue, a heap: the oldest event is first, and of those with the same time
 * the one that arrived first.  Times are hostile, but only order events.  Events that were shown
 * are reused for others of the same length.
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>

static bool before(const struct read_turn *a, const struct read_turn *b)
{
	return a->nsecs != b->nsecs ? a->nsecs < b->nsecs : a->number < b->number;
}

static bool make_room(struct read_queue *queue)
{
	u32 room = queue->room ? 2 * queue->room : 1024;
	struct read_turn *heap;

	if (queue->nr < queue->room)
		return true;
	heap = realloc(queue->heap, room * sizeof(*heap));
	if (!heap)
		return false;
	queue->heap = heap;
	queue->room = room;
	return true;
}

static size_t event_len(u32 record_len)
{
	return offsetof(struct read_event, record) + record_len;
}

static struct read_event *new_event(struct read_queue *queue, u32 len)
{
	struct read_event *event = queue->spare[len / 8];

	if (!event)
		return malloc(event_len(len));
	queue->spare[len / 8] = event->next;
	return event;
}

/* It is used again: as many come at the next turn. */
void read_queue_give(struct read_queue *queue, struct read_event *event)
{
	u32 class = event->record.len / 8;

	event->next = queue->spare[class];
	queue->spare[class] = event;
}

/* A copy; false: no memory. */
bool read_queue_put(struct read_queue *queue, const struct kt_vm *vm, u64 nsecs,
		    const struct kt_record *record)
{
	struct read_turn turn = { nsecs, queue->number, NULL };
	u32 at, up;

	if (!make_room(queue))
		return false;
	turn.event = new_event(queue, record->len);
	if (!turn.event)
		return false;
	turn.event->vm = vm;
	memcpy(&turn.event->record, record, record->len);
	queue->number++;
	queue->bytes += event_len(record->len);
	for (at = queue->nr++; at; at = up) {
		up = (at - 1) / 2;
		if (!before(&turn, &queue->heap[up]))
			break;
		queue->heap[at] = queue->heap[up];
	}
	queue->heap[at] = turn;
	return true;
}

struct read_event *read_queue_take(struct read_queue *queue)
{
	struct read_turn *heap = queue->heap, last;
	struct read_event *first;
	u32 at = 0, down;

	if (!queue->nr)
		return NULL;
	first = heap[0].event;
	last = heap[--queue->nr];
	queue->bytes -= event_len(first->record.len);
	while ((down = 2 * at + 1) < queue->nr) {
		if (down + 1 < queue->nr && before(&heap[down + 1], &heap[down]))
			down++;
		if (!before(&heap[down], &last))
			break;
		heap[at] = heap[down];
		at = down;
	}
	heap[at] = last;
	return first;
}

void read_queue_free(struct read_queue *queue)
{
	struct read_event *event;
	u32 i;

	while ((event = read_queue_take(queue)))
		free(event);
	for (i = 0; i < KT_RECORD_MAX / 8 + 1; i++)
		while ((event = queue->spare[i])) {
			queue->spare[i] = event->next;
			free(event);
		}
	free(queue->heap);
}
