// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* show.c - show.h's functions. */
#include "show.h"

#include <stdlib.h>

const struct trace_type show_int = { .kind = TRACE_INT, .size = 8, .sign = true };
const struct trace_type show_u64 = { .kind = TRACE_INT, .size = 8 };
const struct trace_type show_probe = { .kind = TRACE_PROBE, .size = 8 };
const struct trace_type show_string = { .kind = TRACE_STRING, .size = 16 };

struct trace_field *show_fields(struct trace_field *fields, uint32_t *nr,
				const struct trace_type *const *types)
{
	uint32_t at = 0;

	for (*nr = 0; types && types[*nr]; ++*nr) {
		fields[*nr] = (struct trace_field){ *types[*nr], at };
		at += (types[*nr]->size + 7) & ~7u;
	}
	return fields;
}

static uint32_t len_of(const struct trace_field *fields, uint32_t nr)
{
	return nr ? fields[nr - 1].offset + ((fields[nr - 1].type.size + 7) & ~7u) : 0;
}

void show_begin(struct show *show)
{
	memset(show, 0, sizeof(*show));
	build_begin(&show->build);
	build_insn(&show->build, KT_END, 0, 0, 0, 0);
	show->build.head.shards = 4;
	show->build.head.ring = 4096;
	show->build.head.stacks = 16;
	show->build.head.depth = 8;
	show->probes[0] = (struct trace_probe){ .name = "kprobe:f", .function = "f" };
	show->script = (struct trace_script){
		.probes = show->probes, .probes_nr = 1, .events = show->events,
		.maps = show->maps, .blocks = show->blocks,
	};
}

uint32_t show_event(struct show *show, enum trace_event_kind kind,
		    const char *format, const struct trace_type *const *types)
{
	uint32_t nr = show->script.events_nr++;
	struct trace_event *event = &show->events[nr];

	*event = (struct trace_event){ .kind = kind, .format = (char *)format };
	event->fields = show_fields(show->fields[nr], &event->fields_nr, types);
	return nr;
}

uint32_t show_map(struct show *show, const char *name, uint32_t kind,
		  const struct trace_type *const *keys,
		  const struct trace_type *value)
{
	uint32_t nr = show->script.maps_nr++;
	struct trace_map *map = &show->maps[nr];

	*map = (struct trace_map){
		.name = (char *)name, .kind = kind, .value = *value,
	};
	map->keys = show_fields(show->keys[nr], &map->keys_nr, keys);
	build_map(&show->build, kind, len_of(map->keys, map->keys_nr),
		  kind == KT_MAP_VALUE ? (value->size + 7) & ~7u : 0, 64);
	return nr;
}

static bool symbol(void *arg, bool kernel, uint32_t pid, uint64_t addr,
		   unsigned int how, char *text, size_t room)
{
	bool offset = how & TRACE_WITH_OFFSET;

	(void)arg;
	if (addr < 0x1000)
		return false;
	if (addr == INLINED) {
		snprintf(text, room, "%saround%s%s",
			 how & TRACE_WITH_INLINED ? "within\nbetween\n" : "",
			 offset ? "+7" : "",
			 how & TRACE_WITH_LINES ? " at a.c:3" : "");
		return true;
	}
	snprintf(text, room, "%s%u_%llx%s", kernel ? "k" : "u", pid,
		 (unsigned long long)(addr - !!(how & TRACE_OF_CALLER)) >> 4, offset && addr & 15 ? "+1" : "");
	return true;
}

static bool user(void *arg, uint64_t uid, char *text, size_t room)
{
	(void)arg;
	snprintf(text, room, "root");
	return uid == 0;
}

void show_read(struct show *show, const struct kt_vm *vms, unsigned int nr)
{
	static const struct trace_symbols symbols = { .symbol = symbol, .user = user };

	trace_reader_free(show->reader);
	show->reader = trace_reader_new(&show->script, vms, show->pids, nr, &symbols,
					show->format, show->out);
	assert_non_null(show->reader);
}

void show_ready(struct show *show, enum trace_format format)
{
	show->format = format;
	show->build.head.events_nr = show->script.events_nr;
	assert_null(build_done(&show->build));
	show->out = open_memstream(&show->text, &show->len);
	show_read(show, &show->build.vm, 1);
}

void show_emit(struct show *show, uint32_t event, const void *bytes, uint32_t len)
{
	struct kt_record head = {
		.event = event, .nsecs = fake_nsecs++, .pid = 1, .tid = 2,
	};

	assert_true(kt_ring_put(&show->build.vm, event, &head, bytes, len));
}

void show_add(struct show *show, uint32_t map, const void *key, int64_t value)
{
	static uint32_t shard;

	kt_map_add(&show->build.vm, map, shard++ & 3, key, value);
}

void show_set(struct show *show, uint32_t map, const void *key, const void *value)
{
	uint8_t *kept = kt_map_make(&show->build.vm, map, 0, key);

	assert_non_null(kept);
	memcpy(kept, value, kt_value_len(&show->build.vm.maps[map]));
}

void show_is(struct show *show, const char *text)
{
	fflush(show->out);
	show->text[show->len] = 0;
	assert_string_equal(show->text, text);
	fseek(show->out, 0, SEEK_SET);
}

void show_end(struct show *show)
{
	trace_reader_free(show->reader);
	fclose(show->out);
	free(show->text);
	build_free(&show->build);
}
