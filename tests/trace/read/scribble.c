// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scribble.c - hostile arenas: a reader must end, and print nothing that is not
 * its own memory.
 *
 * Usage: scribble ROUNDS SEED.  In each round the arena is written by an honest
 * program, then by a hostile one: anywhere a little, or everywhere, and in every
 * other round also while it is read.  To be compiled with sanitizers.
 */
#include "show.h"

#include <pthread.h>
#include <stdlib.h>

static struct show s;
static struct kt_vm vms[2];		/* both of s's program */
static u64 state;
static FILE *timeline;			/* of the last script */
static char *timeline_bytes;
static size_t timeline_len;

static u64 draw(void)
{
	return random_next(&state);
}

/* ---- a script with everything -------------------------------------- */

static const struct trace_type types[] = {
	{ .kind = TRACE_INT, .size = 1, .sign = true },
	{ .kind = TRACE_INT, .size = 2 },
	{ .kind = TRACE_INT, .size = 4, .sign = true },
	{ .kind = TRACE_POINTER, .size = 8 },
	{ .kind = TRACE_BOOL, .size = 8 },
	{ .kind = TRACE_STRING, .size = 24 },
	{ .kind = TRACE_BUFFER, .size = 24 },
	{ .kind = TRACE_KSYM, .size = 8 },
	{ .kind = TRACE_USYM, .size = 16 },
	{ .kind = TRACE_KSTACK, .size = 8, .format = "perf" },
	{ .kind = TRACE_USTACK, .size = 8, .format = "" },
	{ .kind = TRACE_USTACK, .size = 8, .format = "perf", .frames = 3 },
	{ .kind = TRACE_INET, .size = 24 },
	{ .kind = TRACE_USERNAME, .size = 8 },
	{ .kind = TRACE_PROBE, .size = 8 },
	{ .kind = TRACE_FUNC, .size = 8 },
	{ .kind = TRACE_TIME, .size = 8, .format = "%H:%M:%S.%f %" },
	{ .kind = TRACE_MAC, .size = 8 },
	{ .kind = TRACE_ERRNO, .size = 8 },
	{ .kind = TRACE_ENUM, .size = 8 },
};
#define TYPES_NR (sizeof(types) / sizeof(types[0]))

static const struct trace_type pair = {
	.kind = TRACE_TUPLE, .size = 32, .fields_nr = 2,
	.fields = (struct trace_field []){
		{ { .kind = TRACE_STRING, .size = 16 }, 0 },
		{ { .kind = TRACE_USTACK, .size = 8, .format = "" }, 24 },
	},
};

static void add_map(uint32_t kind, const struct trace_type *const *keys,
		    const struct trace_type *value, uint32_t places)
{
	uint32_t map = show_map(&s, "@m", kind, keys, value);

	s.build.maps[map].keys = places;
	/* Steps; bits of a histogram; how a series of at most 8 ms adds. */
	s.maps[map].step = kind == KT_MAP_HIST ? 2 : kind == KT_MAP_SERIES ? KT_SERIES_MAX : 10;
	s.maps[map].min = kind == KT_MAP_SERIES ? 1000000 : 0;
	s.maps[map].max = kind == KT_MAP_SERIES ? 8 : 95;
	s.build.maps[map].step = s.maps[map].step;
	s.build.maps[map].min = s.maps[map].min;
	s.build.maps[map].max = s.maps[map].max;
	s.events[show_event(&s, (enum trace_event_kind[]){ TRACE_PRINT_MAP, TRACE_CLEAR,
		 TRACE_ZERO, TRACE_PRINT_KEY }[map % 4], NULL,
		 TYPES(&show_int, &show_u64))].map = map;
}

/* A file of packets, each as long as it says. */
static void check_timeline(void)
{
	size_t at = 0, len;
	unsigned int shift;

	fflush(timeline);
	while (at < timeline_len) {
		assert_int_equal(timeline_bytes[at++], 0x0a);
		for (len = 0, shift = 0; ; shift += 7) {
			assert_true(at < timeline_len && shift < 32);
			len |= (size_t)(timeline_bytes[at] & 127) << shift;
			if (!(timeline_bytes[at++] & 128))
				break;
		}
		assert_true(len <= timeline_len - at);
		at += len;
	}
	fseek(timeline, 0, SEEK_SET);
}

static void make_script(enum trace_format format, bool draws)
{
	static const struct trace_type *fields[8];
	uint32_t i, field, kind;

	show_begin(&s);
	for (i = 0; i < 6; i++) {
		for (field = 0; field < 6; field++)
			fields[field] = &types[(6 * i + field) % TYPES_NR];
		show_event(&s, i ? TRACE_PRINTF : TRACE_JOIN,
			   i & 1 ? "%d %-30s %5.2s %x %r %c %p\n" : "%s|%s|%s|%s|%s|%s",
			   fields);
	}
	show_event(&s, TRACE_PRINT, NULL, TYPES(&pair));
	show_event(&s, TRACE_TIME_OF_DAY, "%T", NULL);
	for (kind = KT_MAP_COUNT; kind < KT_MAP_KINDS; kind++)
		add_map(kind, kind & 1 ? TYPES(&pair) : NULL, &show_int, 4);
	add_map(KT_MAP_VALUE, TYPES(&types[10], &types[5]), &show_int, 8);
	show_event(&s, TRACE_MARK, NULL, TYPES(&types[5], &show_int));
	for (i = 0; i < 4; i++) {
		s.build.probes[i].addr = 0x1000 + i / 2;
		s.build.probes[i].kind = i & 1 ? KT_PROBE_RETURN : KT_PROBE_ENTRY;
		s.probes[i] = (struct trace_probe){ .name = "uprobe:f", .function = "f",
						    .returns = i & 1 };
	}
	s.build.head.probes_nr = s.script.probes_nr = 4;
	s.blocks[0].kind = TRACE_END;
	s.script.blocks_nr = 1;
	show_ready(&s, format);
	vms[0] = vms[1] = s.build.vm;
	kt_arena_begin(&vms[1], calloc(1, vms[1].layout.size), 1);
	show_read(&s, vms, 2);
	timeline_bytes = NULL;
	timeline = open_memstream(&timeline_bytes, &timeline_len);
	if (draws)
		assert_true(trace_reader_timeline(s.reader, timeline));
}

/* ---- who writes ---------------------------------------------------- */

static void be_honest(const struct kt_vm *vm)
{
	uint64_t bytes[24], key[8];
	uint32_t i, j;

	for (i = 0; i < 40; i++) {
		struct kt_record head = { .event = (u32)draw() % s.script.events_nr,
					  .nsecs = draw() >> (draw() & 63),
					  .pid = (u32)draw() & 1, .tid = (u32)draw() & 3,
					  .probe = (u32)draw() % 5 };

		for (j = 0; j < 24; j++)
			bytes[j] = draw() >> (draw() & 63);
		for (j = 0; j < 8; j++)
			key[j] = draw() & 3;
		kt_ring_put(vm, i, &head, bytes, draw() % 25 * 8);
		j = i % s.script.maps_nr;
		if (s.build.maps[j].kind != KT_MAP_VALUE)
			kt_map_add(vm, j, i, key, (s64)draw() >> (i & 63));
		else
			kt_map_make(vm, j, 0, key);
		kt_stack_put(vm, bytes, i & 15);
	}
}

static void be_hostile(u64 *from, u64 nr)
{
	u64 *words, all = vms[0].layout.size / 8, at;

	while (nr--) {
		words = (u64 *)vms[random_next(from) & 1].arena;
		at = random_next(from) % all;
		__atomic_store_n(&words[at], random_next(from) >> (random_next(from) & 63),
				 __ATOMIC_RELAXED);
		/* What is READY, or written. */
		if (random_next(from) & 1)
			__atomic_fetch_or(&words[at], random_next(from) & 1 ? 2 : KT_WRITTEN,
					  __ATOMIC_RELAXED);
	}
}

static bool at_work;

static void *scribble(void *arg)
{
	u64 own = (uintptr_t)arg;

	while (__atomic_load_n(&at_work, __ATOMIC_RELAXED))
		be_hostile(&own, 64);
	return NULL;
}

/* ---- who reads ----------------------------------------------------- */

static void read_it(bool meanwhile)
{
	static const struct trace_top top = {
		.rows = 40, .columns = 70, .home = "", .line_end = "", .end = "",
	};
	pthread_t thread;

	at_work = true;
	if (meanwhile)
		pthread_create(&thread, NULL, scribble, (void *)(uintptr_t)draw());
	trace_reader_drain(s.reader, false);
	trace_reader_drain(s.reader, true);
	trace_reader_blocks(s.reader, TRACE_END);
	trace_reader_maps(s.reader);
	trace_reader_top(s.reader, &top, true);
	trace_reader_losses(s.reader, s.out);
	trace_reader_folded(s.reader, s.out);
	trace_reader_flame(s.reader, "hostile", s.out);
	trace_reader_pprof(s.reader, s.out);
	__atomic_store_n(&at_work, false, __ATOMIC_RELAXED);
	if (meanwhile)
		pthread_join(thread, NULL);
	fseek(s.out, 0, SEEK_SET);
	check_timeline();
}

static void end_script(void)
{
	free(vms[1].arena);
	show_end(&s);
	fclose(timeline);
	free(timeline_bytes);
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 100, round;
	u32 i;

	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	make_script(TRACE_TEXT, false);
	for (round = 0; round < rounds; round++) {
		if (round && round % (rounds / 3 + 1) == 0) {
			end_script();
			make_script(round > rounds / 2 ? TRACE_TEXT : TRACE_JSON,
				    round > rounds / 2);
		}
		for (i = 0; i < 2; i++) {
			memset(vms[i].arena, 0, vms[i].layout.size);
			be_honest(&vms[i]);
		}
		if (round % 8)
			be_hostile(&state, round % 8 == 1 ? vms[0].layout.size / 4 :
							     1 + draw() % 64);
		read_it(round & 1);
	}
	end_script();
	printf("ok scribble\n");
	return 0;
}
