// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * events.c - acting on events: prints, clears, exits.
 *
 * Owns: the form of an event, as text and as JSON.  The content of a record is hostile; its
 * length is not, and it is a copy.
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>

struct happening {
	struct trace_reader *reader;
	const struct trace_event *event;
	const struct read_event *from;
	const struct kt_vm *vm;
	const u8 *bytes;
	u32 len;
};

static struct read_value field_of(const struct happening *h, u32 nr)
{
	return read_field(&h->event->fields[nr], h->vm, h->bytes, h->len);
}

/* A number that the script gave, or 0. */
static u64 number_of(const struct happening *h, u32 nr)
{
	struct read_value value;

	if (nr >= h->event->fields_nr)
		return 0;
	value = field_of(h, nr);
	return (u64)read_number(&value);
}

/* ---- what is printed ----------------------------------------------------- */

/* As it is, in the timeline, or in an object of JSON; text is freed. */
static void say(const struct happening *h, const char *type, struct read_text *text)
{
	struct trace_reader *reader = h->reader;
	struct read_text line = { 0 };

	if (reader->timeline) {
		read_timeline_say(reader, h->from, text);
		read_text_free(text);
		return;
	}
	if (reader->format == TRACE_TEXT) {
		read_out(reader->out, text);
		return;
	}
	read_printf(&line, "{\"type\": \"%s\", \"data\": \"", type);
	read_escape(&line, text->bytes, text->len);
	read_puts(&line, "\"}\n");
	read_text_free(text);
	read_out(reader->out, &line);
}

static void say_format(struct happening *h)
{
	struct read_text text = { 0 };

	read_format(h->reader, h->vm, h->event, h->bytes, h->len, &text);
	say(h, "printf", &text);
}

static void say_value(struct happening *h)
{
	struct read_value value = field_of(h, 0);
	struct read_text line = { 0 };

	if (h->reader->format == TRACE_JSON) {
		read_puts(&line, "{\"type\": \"value\", \"data\": ");
		read_show_json(h->reader, &value, &line);
		read_puts(&line, "}\n");
	} else {
		read_show(h->reader, &value, &line);
		read_puts(&line, "\n");
	}
	if (h->reader->timeline)
		read_timeline_say(h->reader, h->from, &line);
	else
		read_out(h->reader->out, &line);
	read_text_free(&line);
}

static void say_joined(struct happening *h)
{
	struct read_text line = { 0 };
	u32 i;

	for (i = 0; i < h->event->fields_nr; i++) {
		struct read_value value = field_of(h, i);

		if (!value.len || !value.bytes[0])
			break;
		read_puts(&line, i ? h->event->format : "");
		read_show(h->reader, &value, &line);
	}
	if (h->reader->format == TRACE_TEXT)
		read_puts(&line, "\n");
	say(h, "join", &line);
}

static void say_time(struct happening *h)
{
	struct read_text text = { 0 };

	read_strftime(h->event->format, read_now(), &text);
	say(h, "time", &text);
}

/* What the command does outside of here; it may refuse. */
static void say_done(struct happening *h)
{
	const struct trace_symbols *symbols = &h->reader->symbols;
	bool cat = h->event->kind == TRACE_CAT;
	struct read_text what = { 0 }, done = { 0 };

	read_format(h->reader, h->vm, h->event, h->bytes, h->len, &what);
	read_put(&what, "", 1);
	if (what.bytes && symbols->act)
		done.bytes = symbols->act(symbols->acts, cat, h->event->format ? h->event->format : "",
					  what.bytes, &done.len);
	if (done.bytes)
		say(h, cat ? "cat" : "syscall", &done);
	else
		h->reader->undone++;
	read_text_free(&what);
}

/* ---- maps ---------------------------------------------------------------- */

static void print_key(struct happening *h)
{
	const struct trace_map *map = &h->reader->script->maps[h->event->map];
	u64 key[KT_KEY_MAX / 8] = { 0 };
	u32 i, at;

	for (i = 0; i < map->keys_nr && i < h->event->fields_nr; i++) {
		struct read_value value = field_of(h, i);

		at = map->keys[i].offset;
		if (at < sizeof(key) && value.len <= sizeof(key) - at)
			memcpy((u8 *)key + at, value.bytes, value.len);
	}
	read_print_key(h->reader, h->event->map, (u8 *)key,
		       number_of(h, map->keys_nr + 1));
}

void read_happen(struct trace_reader *reader, const struct read_event *from)
{
	struct happening h = {
		.reader = reader, .from = from,
		.event = &read_script(reader, from->vm)->events[from->record.event],
		.vm = from->vm, .bytes = from->record.bytes,
		.len = from->record.len - (u32)sizeof(from->record),
	};

	switch (h.event->kind) {
	case TRACE_PRINTF:
	case TRACE_ERRORF:
		say_format(&h);
		break;
	case TRACE_PRINT:
		say_value(&h);
		break;
	case TRACE_PRINT_MAP:
		read_print_map(reader, h.event->map, number_of(&h, 0),
			       number_of(&h, 1));
		break;
	case TRACE_PRINT_KEY:
		print_key(&h);
		break;
	case TRACE_CLEAR:
		read_clear(reader, h.event->map);
		break;
	case TRACE_ZERO:
		read_zero(reader, h.event->map);
		break;
	case TRACE_EXIT:
		reader->exit = true;
		reader->status = (int)number_of(&h, 0);
		break;
	case TRACE_TIME_OF_DAY:
		say_time(&h);
		break;
	case TRACE_JOIN:
		say_joined(&h);
		break;
	case TRACE_CAT:
	case TRACE_SYSTEM:
		say_done(&h);
		break;
	case TRACE_MARK:
		read_timeline_mark(reader, from);
		break;
	}
}
