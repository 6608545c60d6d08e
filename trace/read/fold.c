// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fold.c - maps whose keys are stacks, one line for each stack: "a;b;c 12".
 *
 * Owns: struct read_folded.  The outermost frame is first: other parts of the key, then the
 * process's frames, then the kernel's.  Lines are sorted by frames, and equal ones are merged.
 * Names are hostile: characters that would split a line are replaced.
 */
#include "read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one line --------------------------------------------------------------- */

static void put_frame(struct read_text *text, const char *name, size_t len,
		      bool kernel)
{
	size_t i;

	if (kernel)
		read_put(text, &(char){ READ_KERNEL }, 1);
	for (i = 0; i < len; i++)
		read_put(text, (unsigned char)name[i] < ' ' || name[i] == ';' ? "_" :
			       &name[i], 1);
	read_put(text, &(char){ READ_BETWEEN }, 1);
}

/* Of functions that are inlined there the last line is the outermost. */
static void put_functions(struct read_text *text, const char *names, size_t len,
			  bool kernel)
{
	const char *line;

	while ((line = memrchr(names, '\n', len))) {
		size_t at = (size_t)(line + 1 - names);

		put_frame(text, line + 1, len - at, kernel);
		len = at - 1;
	}
	put_frame(text, names, len, kernel);
}

static void put_stack(const struct trace_reader *reader,
		      const struct read_value *value, struct read_text *text)
{
	bool kernel = value->type->kind == TRACE_KSTACK;
	bool lines = read_with_lines(value->type);
	u64 frames[KT_DEPTH_MAX];
	struct read_text names = { 0 };
	u32 pid, nr = read_frames(reader, value, frames, &pid);

	while (nr--) {
		names.len = 0;
		read_show_symbol(reader, kernel, pid, frames[nr],
				 read_frame_how(nr, lines), &names);
		if (names.len)
			put_functions(text, names.bytes, names.len, kernel);
	}
	read_text_free(&names);
}

/* Those of the key's values that are of a kind: TRACE_NONE: no stack. */
static void put_kind(const struct trace_reader *reader, const struct trace_map *map,
		     const struct read_table *table, u32 nr, enum trace_kind kind,
		     struct read_text *text)
{
	struct read_text name = { 0 };
	u32 i;

	for (i = 0; i < map->keys_nr; i++) {
		struct read_value value = read_field(&map->keys[i],
						     read_vm(reader, table, nr),
						     read_key(table, nr), table->key_len);
		bool stack = value.type->kind == TRACE_KSTACK ||
			     value.type->kind == TRACE_USTACK;

		if (stack && value.type->kind == kind) {
			put_stack(reader, &value, text);
		} else if (!stack && kind == TRACE_NONE) {
			name.len = 0;
			read_show(reader, &value, &name);
			put_frame(text, name.bytes, name.len, false);
		}
	}
	read_text_free(&name);
}

/* How wide the stack is: 0: not to be shown. */
static u64 count_of(const struct trace_map *map, const u64 *kept, u32 len)
{
	s64 number = map->kind == KT_MAP_AVG || map->kind == KT_MAP_STATS ?
		     (s64)kept[0] : read_weight(map, kept, len);

	return number > 0 ? (u64)number : 0;
}

/* ---- all of them -------------------------------------------------------------- */

static struct read_line *new_line(struct read_folded *folded)
{
	u32 room = folded->room ? 2 * folded->room : 256;
	struct read_line *lines;

	if (folded->nr == folded->room) {
		lines = realloc(folded->lines, room * sizeof(*lines));
		if (!lines)
			return NULL;
		folded->lines = lines;
		folded->room = room;
	}
	return &folded->lines[folded->nr++];
}

static void fold_map(const struct trace_reader *reader, u32 nr, bool named,
		     struct read_folded *folded)
{
	const struct trace_map *map = &reader->script->maps[nr];
	struct read_text *text = &folded->text;
	struct read_table table;
	u32 i;

	read_table(reader, nr, &table);
	for (i = 0; i < table.nr; i++) {
		u64 count = count_of(map, read_kept(&table, i), table.value_len);
		struct read_line *line = count ? new_line(folded) : NULL;

		if (!line)
			continue;
		*line = (struct read_line){ .at = text->len, .count = count };
		if (named) {
			read_puts(text, map->name);
			read_put(text, &(char){ READ_BETWEEN }, 1);
		}
		put_kind(reader, map, &table, i, TRACE_NONE, text);
		put_kind(reader, map, &table, i, TRACE_USTACK, text);
		put_kind(reader, map, &table, i, TRACE_KSTACK, text);
		line->len = text->len - line->at;
	}
	read_table_free(&table);
}

static int order(const void *a, const void *b, void *arg)
{
	const struct read_folded *folded = arg;
	const struct read_line *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int found = len ? memcmp(folded->text.bytes + x->at,
				 folded->text.bytes + y->at, len) : 0;

	return found ? found : x->len < y->len ? -1 : x->len > y->len;
}

static void join_equals(struct read_folded *folded)
{
	u32 i, kept = 0;

	for (i = 0; i < folded->nr; i++) {
		struct read_line *line = &folded->lines[i];

		if (kept && !order(line, &folded->lines[kept - 1], folded)) {
			struct read_line *same = &folded->lines[kept - 1];

			same->count = read_saturated(same->count, line->count);
		} else {
			folded->lines[kept++] = *line;
		}
	}
	folded->nr = kept;
}

static bool is_folded(const struct trace_map *map)
{
	u32 i;

	for (i = 0; i < map->keys_nr; i++)
		if (map->keys[i].type.kind == TRACE_KSTACK ||
		    map->keys[i].type.kind == TRACE_USTACK)
			return true;
	return false;
}

bool trace_reader_can_fold(const struct trace_script *script)
{
	u32 i;

	for (i = 0; i < script->maps_nr; i++)
		if (is_folded(&script->maps[i]))
			return true;
	return false;
}

void read_fold(const struct trace_reader *reader, struct read_folded *folded)
{
	const struct trace_script *script = reader->script;
	u32 i, maps_nr = 0;

	*folded = (struct read_folded){ 0 };
	for (i = 0; i < script->maps_nr; i++)
		maps_nr += is_folded(&script->maps[i]);
	for (i = 0; i < script->maps_nr; i++)
		if (is_folded(&script->maps[i]))
			fold_map(reader, i, maps_nr > 1, folded);
	if (folded->nr)
		qsort_r(folded->lines, folded->nr, sizeof(*folded->lines), order,
			folded);
	join_equals(folded);
}

void read_folded_free(struct read_folded *folded)
{
	free(folded->lines);
	read_text_free(&folded->text);
}

void trace_reader_folded(struct trace_reader *reader, FILE *out)
{
	struct read_folded folded;
	size_t at, i;

	read_fold(reader, &folded);
	for (i = 0; i < folded.nr; i++) {
		const char *text = folded.text.bytes + folded.lines[i].at;
		size_t len = folded.lines[i].len;

		/* The last one has nothing behind it. */
		for (at = 0; at + 1 < len; at++)
			if (text[at] == READ_BETWEEN)
				putc(';', out);
			else if (text[at] != READ_KERNEL)
				putc(text[at], out);
		fprintf(out, " %" PRIu64 "\n", folded.lines[i].count);
	}
	read_folded_free(&folded);
	fflush(out);
}
