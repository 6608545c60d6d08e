// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reader.c - a reader, from its begin to its end.
 *
 * Owns: struct trace_reader as a whole, and the list of arenas that it reads.
 */
#include "read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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

int trace_reader_status(const struct trace_reader *reader)
{
	return reader->status;
}

void trace_reader_free(struct trace_reader *reader)
{
	unsigned int i;

	if (!reader)
		return;
	trace_reader_let_go(reader);
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

void trace_reader_hold(struct trace_reader *reader)
{
	FILE *text = open_memstream(&reader->held_text, &reader->held_len);

	if (!text)
		return;
	reader->held = reader->out;
	reader->out = text;
}

void trace_reader_forget(struct trace_reader *reader)
{
	if (!reader->held)
		return;
	fclose(reader->out);
	reader->out = reader->held;
	reader->held = NULL;
	free(reader->held_text);
	reader->held_text = NULL;
}

void trace_reader_let_go(struct trace_reader *reader)
{
	if (!reader->held)
		return;
	fclose(reader->out);
	reader->out = reader->held;
	reader->held = NULL;
	if (reader->held_text)
		fwrite(reader->held_text, 1, reader->held_len, reader->out);
	free(reader->held_text);
	reader->held_text = NULL;
	fflush(reader->out);
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

void trace_reader_last_maps(struct trace_reader *reader)
{
	if (!reader->script->hides_maps)
		trace_reader_maps(reader);
}

void trace_reader_attached(struct trace_reader *reader, unsigned int probes)
{
	FILE *out = reader->held ? reader->held : reader->out;

	probes += reader->script->blocks_nr;
	if (reader->format == TRACE_JSON)
		fprintf(out,
			"{\"type\": \"attached_probes\", \"data\": {\"probes\": %u}}\n",
			probes);
	else
		fprintf(out, "Attached %u probe%s\n", probes,
			probes == 1 ? "" : "s");
	fflush(out);
}
