// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reader.c - takes what the rings hold, and does what the events say.
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

/* ---- what events do -------------------------------------------------------------- */

/* A line of its own in JSON: the type and what it says. */
void read_say(struct trace_reader *reader, const char *type,
	      const struct read_text *text)
{
	struct read_text line = { 0 };

	if (reader->format == TRACE_TEXT) {
		fwrite(text->bytes, 1, text->len, reader->out);
		return;
	}
	read_printf(&line, "{\"type\": \"%s\", \"data\": \"", type);
	read_escape(&line, text->bytes, text->len);
	read_puts(&line, "\"}\n");
	fwrite(line.bytes, 1, line.len, reader->out);
	read_text_free(&line);
}

static void say_value(struct trace_reader *reader, const struct read_value *value)
{
	struct read_text line = { 0 };

	if (reader->format == TRACE_JSON) {
		read_puts(&line, "{\"type\": \"value\", \"data\": ");
		read_show_json(reader, value, &line);
		read_puts(&line, "}");
	} else {
		read_show(reader, value, &line);
	}
	read_puts(&line, "\n");
	fwrite(line.bytes, 1, line.len, reader->out);
	read_text_free(&line);
}

static void say_joined(struct trace_reader *reader, const struct trace_event *event,
		       const struct read_event *from, u32 len)
{
	struct read_text line = { 0 };
	u32 i;

	for (i = 0; i < event->fields_nr; i++) {
		struct read_value value = read_field(&event->fields[i], from->vm,
						     from->record.bytes, len);

		if (!value.len || !value.bytes[0])
			break;
		read_puts(&line, i ? event->format : "");
		read_show(reader, &value, &line);
	}
	read_puts(&line, "\n");
	read_say(reader, "join", &line);
	read_text_free(&line);
}

/* What the command does outside of here; it may refuse. */
static void say_done(struct trace_reader *reader, const struct trace_event *event,
		     const struct read_text *text)
{
	bool cat = event->kind == TRACE_CAT;
	struct read_text done = { 0 };
	char *what = strndup(text->bytes ? text->bytes : "", text->len);

	if (what && reader->symbols.act)
		done.bytes = reader->symbols.act(reader->symbols.arg, cat, what,
						 &done.len);
	if (done.bytes)
		read_say(reader, cat ? "cat" : "syscall", &done);
	free(done.bytes);
	free(what);
}

static u64 number_at(const struct trace_event *event, u32 field,
		     const struct read_event *from, u32 len)
{
	struct read_value value;

	if (field >= event->fields_nr)
		return 0;
	value = read_field(&event->fields[field], from->vm, from->record.bytes, len);
	return (u64)read_number(&value);
}

static void print_key(struct trace_reader *reader, const struct trace_event *event,
		      const struct read_event *from, u32 len)
{
	const struct trace_map *map = &reader->script->maps[event->map];
	u8 key[KT_KEY_MAX] = { 0 };
	u32 i, at;

	for (i = 0; i < map->keys_nr && i < event->fields_nr; i++) {
		struct read_value value = read_field(&event->fields[i], from->vm,
						     from->record.bytes, len);

		at = map->keys[i].offset;
		if (at < sizeof(key) && value.len <= sizeof(key) - at)
			memcpy(key + at, value.bytes, value.len);
	}
	read_print_key(reader, event->map, key,
		       number_at(event, map->keys_nr + 1, from, len));
}

static void happen(struct trace_reader *reader, const struct read_event *from)
{
	const struct trace_event *event = &reader->script->events[from->record.event];
	u32 len = from->record.len - (u32)sizeof(from->record);
	const u8 *bytes = from->record.bytes;
	struct read_text text = { 0 };
	struct read_value value;

	switch (event->kind) {
	case TRACE_PRINTF:
	case TRACE_ERRORF:
		read_format(reader, from->vm, event, bytes, len, &text);
		read_say(reader, "printf", &text);
		break;
	case TRACE_PRINT:
		value = read_field(&event->fields[0], from->vm, bytes, len);
		say_value(reader, &value);
		break;
	case TRACE_PRINT_MAP:
		read_print_map(reader, event->map, number_at(event, 0, from, len),
			       number_at(event, 1, from, len));
		break;
	case TRACE_PRINT_KEY:
		print_key(reader, event, from, len);
		break;
	case TRACE_CLEAR:
		read_clear(reader, event->map);
		break;
	case TRACE_ZERO:
		read_zero(reader, event->map);
		break;
	case TRACE_EXIT:
		reader->exit = true;
		break;
	case TRACE_TIME_OF_DAY:
		read_strftime(event->format, read_now(), &text);
		read_say(reader, "time", &text);
		break;
	case TRACE_JOIN:
		say_joined(reader, event, from, len);
		break;
	case TRACE_CAT:
	case TRACE_SYSTEM:
		read_format(reader, from->vm, event, bytes, len, &text);
		say_done(reader, event, &text);
		break;
	}
	read_text_free(&text);
}

static void show_until(struct trace_reader *reader, u64 nsecs)
{
	struct read_queue *queue = &reader->queue;

	while (queue->nr && !reader->exit &&
	       (queue->heap[0]->nsecs <= nsecs || queue->bytes > QUEUE_BYTES)) {
		struct read_event *event = read_queue_take(queue);

		happen(reader, event);
		free(event);
	}
}

/* ---- rings ------------------------------------------------------------------------- */

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
		/* A time that is still to come would keep it for ever. */
		if (!read_queue_put(&reader->queue, vm,
				    record.head.nsecs < now ? record.head.nsecs : now,
				    &record.head))
			reader->skipped += len;
	}
}

static void take_all(struct trace_reader *reader, bool last)
{
	u64 *stuck = reader->stuck;
	u32 i, shard;

	for (i = 0; i < reader->nr; i++) {
		const struct kt_vm *vm = &reader->vms[i];

		for (shard = 0; vm->program->ring && shard < vm->program->shards; shard++)
			take_ring(reader, vm, shard, stuck++, last);
	}
}

bool trace_reader_drain(struct trace_reader *reader, bool last)
{
	u64 now = read_now();

	take_all(reader, last);
	show_until(reader, last ? UINT64_MAX : now - AGE);
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

/* ---- all of it --------------------------------------------------------------------- */

struct trace_reader *trace_reader_new(const struct trace_script *script,
				      const struct kt_vm *vms, unsigned int nr,
				      const struct trace_symbols *symbols,
				      enum trace_format format, FILE *out)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	*reader = (struct trace_reader){
		.script = script, .vms = vms, .nr = nr, .symbols = *symbols,
		.format = format, .out = out,
	};
	reader->stuck = calloc((size_t)nr * KT_SHARDS_MAX, sizeof(u64));
	reader->due = calloc(script->blocks_nr + 1, sizeof(u64));
	reader->told = calloc(read_losses_nr(reader), sizeof(u64));
	if (!reader->stuck || !reader->due || !reader->told) {
		trace_reader_free(reader);
		return NULL;
	}
	read_host_begin();
	read_blocks_begin(reader);
	return reader;
}

void trace_reader_free(struct trace_reader *reader)
{
	if (!reader)
		return;
	read_queue_free(&reader->queue);
	free(reader->stuck);
	free(reader->due);
	free(reader->told);
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
		read_print_map(reader, order[i], 0, 0);
	fflush(reader->out);
}

void trace_reader_attached(struct trace_reader *reader, unsigned int probes)
{
	if (reader->format == TRACE_JSON)
		fprintf(reader->out,
			"{\"type\": \"attached_probes\", \"data\": {\"probes\": %u}}\n",
			probes);
	else
		fprintf(reader->out, "Attaching %u probe%s...\n", probes,
			probes == 1 ? "" : "s");
	fflush(reader->out);
}
