// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several arenas, blocks that run in the reader, what is lost, stacks. */
#include "show.h"

#include <stdlib.h>

/* Two arenas of a script, as a kernel's and a process's. */
struct two {
	struct show s;
	struct kt_vm vms[2];
	void *second;
};

static void two_begin(struct two *t)
{
	t->vms[0] = t->vms[1] = t->s.build.vm;
	t->second = calloc(1, t->vms[0].layout.size);
	kt_arena_begin(&t->vms[1], t->second, 1);
	show_read(&t->s, t->vms, 2);
}

static void two_end(struct two *t)
{
	show_end(&t->s);
	free(t->second);
}

static void arenas_in_order(void **state)
{
	struct kt_record head = { .nsecs = 500 };
	struct two t;
	int64_t i;

	(void)state;
	show_begin(&t.s);
	show_event(&t.s, TRACE_PRINT, NULL, TYPES(&show_int));
	show_ready(&t.s, TRACE_TEXT);
	two_begin(&t);
	for (i = 0; i < 6; i++) {
		head.nsecs = (u64)(600 - 100 * i / 2 - i);
		assert_true(kt_ring_put(&t.vms[i & 1], (u32)i, &head, &i, 8));
	}
	trace_reader_drain(t.s.reader, true);
	show_is(&t.s, "5\n4\n3\n2\n1\n0\n");
	two_end(&t);
}

static void arenas_add_up(void **state)
{
	struct two t;
	u64 key = 7;
	u32 count, most, value;

	(void)state;
	show_begin(&t.s);
	count = show_map(&t.s, "@c", KT_MAP_COUNT, TYPES(&show_int), &show_int);
	most = show_map(&t.s, "@m", KT_MAP_MAX, NULL, &show_int);
	value = show_map(&t.s, "@v", KT_MAP_VALUE, TYPES(&show_int), &show_int);
	show_ready(&t.s, TRACE_TEXT);
	two_begin(&t);
	kt_map_add(&t.vms[0], count, 0, &key, 0);
	kt_map_add(&t.vms[1], count, 1, &key, 0);
	kt_map_add(&t.vms[0], most, 2, NULL, -9);
	kt_map_add(&t.vms[1], most, 3, NULL, -5);
	*(u64 *)kt_map_make(&t.vms[0], value, 0, &key) = 1;
	*(u64 *)kt_map_make(&t.vms[1], value, 0, &key) = 2;
	key = 8;
	*(u64 *)kt_map_make(&t.vms[1], value, 0, &key) = 3;
	trace_reader_maps(t.s.reader);
	show_is(&t.s, "\n\n@c[7]: 2\n@m: -5\n@v[7]: 1\n@v[8]: 3\n");
	two_end(&t);
}

/* One says that it is another; a number that nobody has may be a child's. */
static void arenas_own(void **state)
{
	static const struct trace_type own = {
		.kind = TRACE_INT, .size = 8, .own = true,
	};
	const u64 pids[] = { 10, 20, 30 };
	struct kt_record head = { 0 };
	u32 count, value, i;
	struct two t;

	(void)state;
	show_begin(&t.s);
	count = show_map(&t.s, "@c", KT_MAP_COUNT, TYPES(&own), &show_int);
	value = show_map(&t.s, "@v", KT_MAP_VALUE, NULL, &own);
	show_event(&t.s, TRACE_PRINT, NULL, TYPES(&own));
	show_ready(&t.s, TRACE_TEXT);
	t.s.pids[0] = 10;
	t.s.pids[1] = 20;
	two_begin(&t);
	kt_map_add(&t.vms[0], count, 0, &pids[0], 0);
	for (i = 0; i < 3; i++) {
		kt_map_add(&t.vms[1], count, 0, &pids[i], 0);
		head.nsecs = i + 1;
		assert_true(kt_ring_put(&t.vms[1], 0, &head, &pids[i], 8));
	}
	*(u64 *)kt_map_make(&t.vms[1], value, 0, NULL) = 10;
	trace_reader_drain(t.s.reader, true);
	show_is(&t.s, "20\n20\n30\n");
	trace_reader_maps(t.s.reader);
	show_is(&t.s, "\n\n@c[10]: 1\n@c[30]: 1\n@c[20]: 2\n@v: 20\n");
	two_end(&t);
}

static void arenas_added(void **state)
{
	struct two t;
	u32 value;
	u64 key = 7;

	(void)state;
	show_begin(&t.s);
	value = show_map(&t.s, "@v", KT_MAP_VALUE, TYPES(&show_int), &show_int);
	t.s.maps[value].added = true;
	show_ready(&t.s, TRACE_TEXT);
	two_begin(&t);
	*(u64 *)kt_map_make(&t.vms[0], value, 0, &key) = 1;
	*(u64 *)kt_map_make(&t.vms[1], value, 0, &key) = 2;
	trace_reader_maps(t.s.reader);
	show_is(&t.s, "\n\n@v[7]: 3\n");
	two_end(&t);
}

/* One that comes later, with a script of its own: probe 0 is another one there. */
static void arenas_apart(void **state)
{
	struct trace_probe other = { .name = "uprobe:g", .function = "g" };
	struct trace_script later;
	struct two t;
	u64 key = 0;
	u32 map;

	(void)state;
	show_begin(&t.s);
	map = show_map(&t.s, "@", KT_MAP_COUNT, TYPES(&show_probe), &show_int);
	show_ready(&t.s, TRACE_TEXT);
	two_begin(&t);
	show_read(&t.s, t.vms, 1);
	later = t.s.script;
	later.probes = &other;
	assert_true(trace_reader_add(t.s.reader, &later));
	kt_map_add(&t.vms[0], map, 0, &key, 0);
	kt_map_add(&t.vms[1], map, 0, &key, 0);
	kt_map_add(&t.vms[1], map, 1, &key, 0);
	trace_reader_maps(t.s.reader);
	show_is(&t.s, "\n\n@[kprobe:f]: 1\n@[uprobe:g]: 2\n");
	two_end(&t);
}

/* An interval asks what both arenas have counted, and deletes it. */
static void blocks_see_all(void **state)
{
	struct two t;
	u32 count, most, print;
	u64 key = 0;

	(void)state;
	show_begin(&t.s);
	count = show_map(&t.s, "@c", KT_MAP_COUNT, TYPES(&show_int), &show_int);
	most = show_map(&t.s, "@m", KT_MAP_MAX, NULL, &show_int);
	print = show_event(&t.s, TRACE_PRINTF, "%d %d\n", TYPES(&show_int, &show_int));
	t.s.build.head.insns_nr = 0;
	build_insn(&t.s.build, KT_ZERO, 0, 0, 0, LOHI(0, 8));
	build_insn(&t.s.build, KT_MGET, 1, (u8)count, 0, LOHI(0, 0));
	build_insn(&t.s.build, KT_MGET, 2, (u8)most, 0, LOHI(0, 0));
	build_insn(&t.s.build, KT_STS, 1, 0, KT_SIZE_8, 8);
	build_insn(&t.s.build, KT_STS, 2, 0, KT_SIZE_8, 16);
	build_insn(&t.s.build, KT_EMIT, (u8)print, 0, 0, LOHI(8, 16));
	build_insn(&t.s.build, KT_MDEL, 1, (u8)count, 0, LOHI(0, 0));
	build_insn(&t.s.build, KT_END, 0, 0, 0, 0);
	t.s.blocks[0] = (struct trace_block){ .kind = TRACE_END };
	t.s.script.blocks_nr = 1;
	show_ready(&t.s, TRACE_TEXT);
	two_begin(&t);
	kt_map_add(&t.vms[0], count, 0, &key, 0);
	kt_map_add(&t.vms[1], count, 1, &key, 0);
	kt_map_add(&t.vms[1], count, 2, &key, 0);
	kt_map_add(&t.vms[0], most, 0, NULL, -5);
	kt_map_add(&t.vms[1], most, 0, NULL, -3);
	trace_reader_blocks(t.s.reader, TRACE_END);
	trace_reader_drain(t.s.reader, true);
	show_is(&t.s, "3 -3\n");
	trace_reader_maps(t.s.reader);
	show_is(&t.s, "\n\n\n@m: -3\n");
	kt_map_add(&t.vms[1], count, 0, &key, 0);
	trace_reader_maps(t.s.reader);
	show_is(&t.s, "\n\n@c[0]: 1\n@m: -3\n");
	two_end(&t);
}

/* BEGIN sets a value, emits it, and another arena has it, too. */
static void blocks_run(void **state)
{
	struct two t;
	u32 value, print;
	const u64 *kept;

	(void)state;
	show_begin(&t.s);
	value = show_map(&t.s, "@v", KT_MAP_VALUE, NULL, &show_int);
	print = show_event(&t.s, TRACE_PRINTF, "%d by %s\n", TYPES(&show_int, &show_probe));
	t.s.build.head.insns_nr = 0;
	build_insn(&t.s.build, KT_MOVI, 1, 0, 0, 42);
	build_insn(&t.s.build, KT_MSET, 1, (u8)value, 0, LOHI(0, 0));
	build_insn(&t.s.build, KT_STS, 1, 0, KT_SIZE_8, 0);
	build_insn(&t.s.build, KT_GET, 2, 0, 0, KT_GET_PROBE);
	build_insn(&t.s.build, KT_STS, 2, 0, KT_SIZE_8, 8);
	build_insn(&t.s.build, KT_EMIT, (u8)print, 0, 0, LOHI(0, 16));
	build_insn(&t.s.build, KT_END, 0, 0, 0, 0);
	t.s.blocks[0] = (struct trace_block){ .kind = TRACE_BEGIN };
	t.s.blocks[1] = (struct trace_block){ .kind = TRACE_INTERVAL, .nsecs = 1000000 };
	t.s.blocks[2] = (struct trace_block){ .kind = TRACE_END };
	t.s.script.blocks_nr = 3;
	show_ready(&t.s, TRACE_TEXT);
	two_begin(&t);
	trace_reader_blocks(t.s.reader, TRACE_BEGIN);
	kept = (const u64 *)kt_map_find(&t.vms[1], value, 0, NULL);
	assert_non_null(kept);
	assert_int_equal(*kept, 42);
	while (trace_reader_next(t.s.reader))
		;
	trace_reader_blocks(t.s.reader, TRACE_INTERVAL);
	assert_in_range(trace_reader_next(t.s.reader), 1, 1000000);
	trace_reader_blocks(t.s.reader, TRACE_END);
	trace_reader_drain(t.s.reader, true);
	show_is(&t.s, "42 by BEGIN\n42 by interval:ms:1\n42 by END\n");
	two_end(&t);
}

static void losses_are_told_once(void **state)
{
	struct kt_probe_state *probes;
	struct kt_map_state *maps;
	struct show s;

	(void)state;
	show_begin(&s);
	show_map(&s, "@c", KT_MAP_COUNT, TYPES(&show_int), &show_int);
	show_ready(&s, TRACE_TEXT);
	probes = (void *)(s.build.vm.arena + s.build.vm.layout.probes);
	maps = (void *)(s.build.vm.arena + s.build.vm.layout.map_states);
	probes->lost = 3;
	maps->full = 1;
	trace_reader_losses(s.reader, s.out);
	trace_reader_losses(s.reader, s.out);
	show_is(&s, "Lost 3 events of kprobe:f: they came faster than they were read; "
		    "print less, or count in a map\n"
		    "Lost 1 update of @c: the map is full; BPFTRACE_MAP_KEYS_MAX makes "
		    "it larger\n");
	probes->lost = 4;
	probes->missed = 1;
	trace_reader_losses(s.reader, s.out);
	show_is(&s, "Lost 1 event of kprobe:f: they came faster than they were read; "
		    "print less, or count in a map\n"
		    "Lost 1 hit of kprobe:f: they came within another probe, or too many at "
		    "once\n");
	s.script.probes[0].kernel = true;
	probes->missed = 3;
	trace_reader_losses(s.reader, s.out);
	show_is(&s, "Missed, or faulting: 2 hits of kprobe:f: a hit within another probe, or "
		    "one of too many at once, is lost; one that read memory which is not "
		    "there is counted, too, and is not lost\n");
	probes->unwatched = 2;
	trace_reader_losses(s.reader, s.out);
	show_is(&s, "Lost 2 objects of kprobe:f: what was to be watched is more than fits "
		    "at a time, overlaps what is watched already, or is no memory\n");
	show_end(&s);
}

static void commands_are_not_done(void **state)
{
	struct show s;
	u32 event;

	(void)state;
	show_begin(&s);
	event = show_event(&s, TRACE_SYSTEM, "echo\n", NULL);
	show_ready(&s, TRACE_TEXT);
	show_emit(&s, event, NULL, 0);
	trace_reader_drain(s.reader, true);
	trace_reader_losses(s.reader, s.out);
	show_is(&s, "Lost 1 command of cat() and system(): they failed, or "
		    "were refused\n");
	show_end(&s);
}

static void losses_of_many_probes(void **state)
{
	struct kt_probe_state *probes;
	struct trace_probe many[8] = { { 0 } };
	struct show s;
	u32 i;

	(void)state;
	show_begin(&s);
	s.build.head.probes_nr = s.script.probes_nr = 8;
	s.build.head.insns_nr = 1;
	s.script.probes = many;
	for (i = 0; i < 8; i++) {
		many[i].name = "kprobe:g";
		s.build.probes[i].addr = 0x1000 + i;
	}
	show_ready(&s, TRACE_JSON);
	probes = (void *)(s.build.vm.arena + s.build.vm.layout.probes);
	for (i = 0; i < 8; i++)
		probes[i].cut = 2;
	probes[7].lost = 1;
	trace_reader_losses(s.reader, s.out);
	fflush(s.out);
	assert_non_null(strstr(s.text, "Lost 1 event of kprobe:g: "));
	assert_non_null(strstr(s.text, "Lost 2 hits of kprobe:g: "));
	assert_non_null(strstr(s.text, "Lost 4 hits of other probes: "));
	assert_non_null(strstr(s.text, "{\"events\": 1}"));
	show_end(&s);
}

/* It was to write its record, and never will: those behind it come at the end. */
static void writer_was_killed(void **state)
{
	struct kt_ring *ring;
	struct show s;
	int64_t value = 5;
	u32 print;

	(void)state;
	show_begin(&s);
	print = show_event(&s, TRACE_PRINT, NULL, TYPES(&show_int));
	show_ready(&s, TRACE_TEXT);
	ring = (void *)(s.build.vm.arena + s.build.vm.layout.rings);
	ring->head = 64;
	show_emit(&s, print, &value, 8);
	trace_reader_drain(s.reader, false);
	show_is(&s, "");
	trace_reader_drain(s.reader, true);
	show_is(&s, "5\n");
	show_end(&s);
}

static void stacks_by_name(void **state)
{
	static const struct trace_type kstack = {
		.kind = TRACE_KSTACK, .size = 8, .format = "", .frames = 2,
	}, ustack = { .kind = TRACE_USTACK, .size = 8, .format = "perf" };
	static const u64 frames[] = { 0x1231, 0x4560, 0x80 };
	struct show s;
	u64 values[2];
	u32 print, map;

	(void)state;
	show_begin(&s);
	print = show_event(&s, TRACE_PRINTF, "%s|%s|\n", TYPES(&kstack, &ustack));
	map = show_map(&s, "@", KT_MAP_COUNT, TYPES(&kstack, &show_int), &show_int);
	show_ready(&s, TRACE_TEXT);
	values[0] = kt_stack_put(&s.build.vm, frames, 3);
	values[1] = values[0] | 77ull << 32;
	show_emit(&s, print, values, 16);
	values[0] = values[1] = KT_NO_STACK;
	show_emit(&s, print, values, 16);
	values[0] = kt_stack_put(&s.build.vm, frames, 3);
	values[1] = 4;
	show_add(&s, map, values, 0);
	trace_reader_drain(s.reader, true);
	trace_reader_maps(s.reader);
	show_is(&s, "\n        k0_123+1\n        k0_455\n|"
		    "\n\t1231 u77_123+1 ([unknown])\n\t4560 u77_455 ([unknown])\n"
		    "\t80 0x80 ([unknown])\n|\n"
		    "\n|\n|\n"
		    "\n\n@[\n    k0_123+1\n    k0_455\n, 4]: 1\n");
	show_end(&s);
}

static void stack_of_inlined(void **state)
{
	static const struct trace_type lines = {
		.kind = TRACE_USTACK, .size = 8, .format = "lines",
	}, plain = { .kind = TRACE_USTACK, .size = 8, .format = "" };
	static const u64 frames[] = { INLINED, 0x1230 };
	struct show s;
	u64 key;
	u32 map;

	(void)state;
	show_begin(&s);
	map = show_map(&s, "@", KT_MAP_COUNT, TYPES(&lines), &show_int);
	show_map(&s, "@p", KT_MAP_COUNT, TYPES(&plain), &show_int);
	show_ready(&s, TRACE_TEXT);
	key = kt_stack_put(&s.build.vm, frames, 2);
	show_add(&s, map, &key, 0);
	show_add(&s, map + 1, &key, 0);
	trace_reader_maps(s.reader);
	show_is(&s, "\n\n@[\n    within\n    between\n    around+7 at a.c:3\n    u0_122\n]: 1\n"
		    "@p[\n    around+7\n    u0_122\n]: 1\n");
	trace_reader_folded(s.reader, s.out);
	show_is(&s, "@;u0_122;around;between;within 1\n@p;u0_122;around 1\n");
	show_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arenas_in_order),
		cmocka_unit_test(arenas_add_up),
		cmocka_unit_test(arenas_own),
		cmocka_unit_test(arenas_added),
		cmocka_unit_test(arenas_apart),
		cmocka_unit_test(blocks_run),
		cmocka_unit_test(blocks_see_all),
		cmocka_unit_test(losses_are_told_once),
		cmocka_unit_test(losses_of_many_probes),
		cmocka_unit_test(commands_are_not_done),
		cmocka_unit_test(writer_was_killed),
		cmocka_unit_test(stacks_by_name),
		cmocka_unit_test(stack_of_inlined),
	};

	return cmocka_run_group_tests_name("trace_arenas", tests, NULL, NULL);
}
