// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kt_check() refuses what must not be run: one valid program, changed in one place
 * at a time, and the reason that is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "build.h"

static struct build build;
static struct kt_vm vm;

/* Two maps: 0 is VALUE of 8 bytes, 1 COUNT; 2 VALUE of 24 bytes, 3 LHIST. */
static void begin(void)
{
	build_begin(&build);
	build.head.events_nr = 3;
	build.head.ring = KT_RING_MIN;
	build.head.stacks = 64;
	build.head.depth = 16;
	build_map(&build, KT_MAP_VALUE, 8, 8, 100);
	build_map(&build, KT_MAP_COUNT, 16, 0, 100);
	build_map(&build, KT_MAP_VALUE, 0, 24, 1);
	build_map(&build, KT_MAP_LHIST, 0, 0, 1);
	build.maps[3].max = 100;
	build.maps[3].step = 10;
}

static const char *check(const struct kt_program *p, u64 len)
{
	const char *wrong = kt_check(p, len, &vm);

	return wrong ? wrong : "fine";
}

static struct kt_program *whole(void)
{
	begin();
	build_insn(&build, KT_END, 0, 0, 0, 0);
	build_program(&build);
	return build.program;
}

/* ---- the head ----------------------------------------------------------------- */

static const struct {
	u32 at;				/* a u32 of the head */
	u32 value;
	const char *says;
} heads[] = {
#define FIELD(name) offsetof(struct kt_program, name)
	{ FIELD(version), KT_VERSION, "fine" },
	{ FIELD(magic), 1, "this is no trace program" },
	{ FIELD(version), 0, "the program is of another version" },
	{ FIELD(probes_nr), KT_PROBES_MAX + 1, "the program has too much of something" },
	{ FIELD(insns_nr), KT_INSNS_MAX + 1, "the program has too much of something" },
	{ FIELD(maps_nr), KT_MAPS_MAX + 1, "the program has too much of something" },
	{ FIELD(data_len), KT_DATA_MAX + 1, "the program has too much of something" },
	{ FIELD(insns_nr), 0, "the program has no instructions" },
	{ FIELD(probes), 8, "the probes are not in the program" },
	{ FIELD(probes), 0xfffffff8, "the probes are not in the program" },
	{ FIELD(probes_nr), KT_PROBES_MAX, "the probes are not in the program" },
	{ FIELD(insns), 0, "the instructions are not in the program" },
	{ FIELD(insns_nr), KT_INSNS_MAX, "the instructions are not in the program" },
	{ FIELD(maps), 0xfffffff8, "the maps are not in the program" },
	{ FIELD(maps_nr), 64, "the maps are not in the program" },
	{ FIELD(data), 121, "the constants are not in the program" },
	{ FIELD(data_len), KT_DATA_MAX, "the constants are not in the program" },
	{ FIELD(names_len), 0xffffffff, "the names are not in the program" },
	{ FIELD(names), 0xffffffff, "the names are not in the program" },
	{ FIELD(scratch), KT_SCRATCH_MAX + 8, "the scratch memory has a wrong size" },
	{ FIELD(scratch), 4, "the scratch memory has a wrong size" },
	{ FIELD(scratch), KT_SCRATCH_MAX, "fine" },
	{ FIELD(shards), 0, "the number of shards is wrong" },
	{ FIELD(shards), 3, "the number of shards is wrong" },
	{ FIELD(shards), 2 * KT_SHARDS_MAX, "the number of shards is wrong" },
	{ FIELD(shards), KT_SHARDS_MAX, "fine" },
	{ FIELD(ring), 0, "fine" },
	{ FIELD(ring), KT_RING_MIN / 2, "the rings have a wrong size" },
	{ FIELD(ring), KT_RING_MIN * 3, "the rings have a wrong size" },
	{ FIELD(ring), 2 * KT_RING_MAX, "the rings have a wrong size" },
	{ FIELD(events_nr), KT_EVENTS_MAX + 1, "there are too many events" },
	{ FIELD(depth), KT_DEPTH_MAX + 1, "the stacks have a wrong size" },
	{ FIELD(depth), 0, "the stacks have a wrong size" },
	{ FIELD(stacks), 3, "the stacks have a wrong size" },
	{ FIELD(stacks), 2 * KT_STACKS_MAX, "the stacks have a wrong size" },
	{ FIELD(stacks), 0, "fine" },
};

static void head(void **unused)
{
	struct kt_program *p;
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		p = whole();
		memcpy((u8 *)p + heads[i].at, &heads[i].value, 4);
		build_sum(p);
		assert_string_equal(check(p, p->size), heads[i].says);
		free(p);
	}
}

static void wholeness(void **unused)
{
	struct kt_program *p = whole();
	u8 *bytes = (u8 *)p;
	u32 i;

	(void)unused;
	assert_string_equal(check(p, 0), "the program has no whole head");
	assert_string_equal(check(p, sizeof(*p) - 1), "the program has no whole head");
	assert_string_equal(check(p, p->size - 1), "the program is not whole");
	p->size--;
	assert_string_equal(check(p, p->size + 1), "the program is not whole");
	p->size++;
	assert_string_equal(check((void *)(bytes + 4), p->size),
			    "the program is not aligned");
	/* Each byte of it counts. */
	for (i = 0; i < p->size; i++) {
		bytes[i] ^= 0x20;
		assert_string_not_equal(check(p, build.head.size), "fine");
		bytes[i] ^= 0x20;
	}
	bytes[p->names + p->names_len - 1] = 'x';
	build_sum(p);
	assert_string_equal(check(p, p->size), "the names have no end");
	free(p);
}

/* ---- probes and maps ---------------------------------------------------------- */

static const struct {
	struct kt_probe probe;
	const char *says;
} probes[] = {
	{ { 1, KT_NO_NAME, 0, KT_PROBE_ENTRY, 0, 1, 0 }, "fine" },
	{ { 0, 5, 0, KT_PROBE_RETURN, 0, 1, 0 }, "fine" },
	{ { 0, KT_NO_NAME, 0, KT_PROBE_ELSEWHERE, 0, 1, 0 }, "fine" },
	{ { 317, KT_NO_NAME, 0, KT_PROBE_EVENT, 0, 1, 0 }, "fine" },
	{ { 0, KT_NO_NAME, 0, KT_PROBE_SAMPLE, 0, 1, 0 }, "a probe has no place" },
	{ { 1, KT_NO_NAME, 0, KT_PROBE_KINDS, 0, 1, 0 }, "a probe is of no kind" },
	{ { 1, KT_NO_NAME, 0, KT_PROBE_WATCH, 0, 1, KT_WATCH(8, KT_WATCH_RW) },
	  "fine" },
	{ { 1, KT_NO_NAME, 0, KT_PROBE_WATCH, 0, 1, KT_WATCH(8, 0) },
	  "a watch probe is of no kind" },
	{ { 1, KT_NO_NAME, 0, KT_PROBE_WATCH, 0, 1, KT_WATCH(8, 4) },
	  "a watch probe is of no kind" },
	{ { 0, KT_NO_NAME, 0, KT_PROBE_WATCHED, 0, 1, KT_WATCH(0, KT_WATCH_RW) },
	  "fine" },
	{ { 0, KT_NO_NAME, 0, KT_PROBE_WATCHED, 0, 1, 0 },
	  "a watch probe is of no kind" },
	{ { 1, 64, 0, 0, 0, 1, 0 }, "a probe's name is not in the program" },
	{ { 0, KT_NO_NAME, 0, 0, 0, 1, 0 }, "a probe has no place" },
	{ { 1, KT_NO_NAME, 0, 0, 0, 0, 0 },
	  "a probe's instructions are not in the program" },
	{ { 1, KT_NO_NAME, 0, 0, 1, 1, 0 },
	  "a probe's instructions are not in the program" },
	{ { 1, KT_NO_NAME, 0, 0, 0, 2, 0 },
	  "a probe's instructions are not in the program" },
	{ { 1, KT_NO_NAME, 0, 0, 0xffffffff, 2, 0 },
	  "a probe's instructions are not in the program" },
};

static const struct {
	struct kt_map map;
	const char *says;
} maps[] = {
#define LOW (s64)(1ull << 63)
#define HIGH (s64)(~0ull >> 1)
	{ { KT_MAP_VALUE, KT_KEY_MAX, KT_VALUE_MAX, 1, 0, 0, 0 }, "fine" },
	{ { KT_MAP_KINDS, 8, 0, 1, 0, 0, 0 }, "a map is of no kind" },
	{ { KT_MAP_COUNT, 4, 0, 1, 0, 0, 0 }, "a map's keys have a wrong length" },
	{ { KT_MAP_COUNT, KT_KEY_MAX + 8, 0, 1, 0, 0, 0 },
	  "a map's keys have a wrong length" },
	{ { KT_MAP_COUNT, 8, 0, 0, 0, 0, 0 }, "a map has a wrong number of keys" },
	{ { KT_MAP_COUNT, 8, 0, KT_KEYS_MAX + 1, 0, 0, 0 },
	  "a map has a wrong number of keys" },
	{ { KT_MAP_COUNT, 8, 0, KT_KEYS_MAX, 0, 0, 0 }, "fine" },
	{ { KT_MAP_COUNT, 8, 8, 1, 0, 0, 0 }, "a map that is no VALUE has a length" },
	{ { KT_MAP_VALUE, 8, 0, 1, 0, 0, 0 }, "a map's values have a wrong length" },
	{ { KT_MAP_VALUE, 8, 12, 1, 0, 0, 0 }, "a map's values have a wrong length" },
	{ { KT_MAP_VALUE, 8, KT_VALUE_MAX + 8, 1, 0, 0, 0 },
	  "a map's values have a wrong length" },
	{ { KT_MAP_LHIST, 8, 0, 1, 0, 10, 0 }, "a histogram's buckets are wrong" },
	{ { KT_MAP_LHIST, 8, 0, 1, 0, 10, -1 }, "a histogram's buckets are wrong" },
	{ { KT_MAP_LHIST, 8, 0, 1, 10, 10, 1 }, "a histogram's buckets are wrong" },
	{ { KT_MAP_LHIST, 8, 0, 1, 0, KT_LHIST_MAX + 1, 1 },
	  "a histogram's buckets are wrong" },
	{ { KT_MAP_LHIST, 8, 0, 1, LOW, HIGH, 1 }, "a histogram's buckets are wrong" },
	{ { KT_MAP_LHIST, 8, 0, 1, LOW, HIGH, HIGH }, "fine" },
	{ { KT_MAP_HIST, 8, 0, 1, 0, 0, KT_HIST_BITS_MAX }, "fine" },
	{ { KT_MAP_HIST, 8, 0, 1, 0, 0, KT_HIST_BITS_MAX + 1 }, "a histogram's buckets are wrong" },
	{ { KT_MAP_HIST, 8, 0, 1, 0, 0, -1 }, "a histogram's buckets are wrong" },
	{ { KT_MAP_SERIES, 8, 0, 1, 1, KT_SERIES_MAX_NR, KT_SERIES_SUM }, "fine" },
	{ { KT_MAP_SERIES, 8, 0, 1, 0, 1, 0 }, "a series' intervals are wrong" },
	{ { KT_MAP_SERIES, 8, 0, 1, 1, 0, 0 }, "a series' intervals are wrong" },
	{ { KT_MAP_SERIES, 8, 0, 1, 1, KT_SERIES_MAX_NR + 1, 0 }, "a series' intervals are wrong" },
	{ { KT_MAP_SERIES, 8, 0, 1, 1, 1, KT_SERIES_HOWS }, "a series' intervals are wrong" },
	{ { KT_MAP_VALUE, KT_KEY_MAX, KT_VALUE_MAX, KT_KEYS_MAX, 0, 0, 0 }, "fine" },
};

static void tables(void **unused)
{
	struct kt_program *p;
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		p = whole();
		memcpy((u8 *)p + p->probes, &probes[i].probe, sizeof(struct kt_probe));
		build_sum(p);
		assert_string_equal(check(p, p->size), probes[i].says);
		free(p);
	}
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		p = whole();
		memcpy((u8 *)p + p->maps, &maps[i].map, sizeof(struct kt_map));
		build_sum(p);
		assert_string_equal(check(p, p->size), maps[i].says);
		free(p);
	}
}

/* 64 shards of 2^22 long keys, and again. */
static void too_much(void **unused)
{
	u32 i;

	(void)unused;
	build_begin(&build);
	build.head.shards = KT_SHARDS_MAX;
	for (i = 0; i < 8; i++)
		build_map(&build, KT_MAP_HIST, KT_KEY_MAX, 0, KT_KEYS_MAX);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	build_program(&build);
	assert_string_equal(check(build.program, build.program->size),
			    "the program needs too much memory");
	free(build.program);
}

/* ---- instructions ------------------------------------------------------------- */

#define LEAVES "an instruction leaves the scratch memory"
#define NO_REGISTER "an instruction names no register"
#define NOTHING "an instruction names what does not exist"
#define NO_FLAG "an instruction has flags that do not exist"

static const struct {
	struct kt_insn insn;
	const char *says;
} insns[] = {
	{ { KT_OPS, 0, 0, 0, 0 }, "an instruction does not exist" },
	{ { 255, 0, 0, 0, 0 }, "an instruction does not exist" },
	{ { KT_ADD, 31, 31, 31, 0 }, "fine" },
	{ { KT_ADD, 32, 0, 0, 0 }, NO_REGISTER },
	{ { KT_ADD, 0, 32, 0, 0 }, NO_REGISTER },
	{ { KT_ADD, 0, 0, 32, 0 }, NO_REGISTER },
	{ { KT_ADDI, 0, 0, 32, 0 }, "fine" },
	{ { KT_MOVI, 32, 0, 0, 0 }, NO_REGISTER },
	{ { KT_JZ, 32, 0, 0, 0 }, NO_REGISTER },
	{ { KT_STR, 0, 32, 0, LOHI(0, 8) }, NO_REGISTER },
	{ { KT_OVERRIDE, 32, 0, 0, 0 }, NO_REGISTER },
	{ { KT_WATCH_ON, 32, 0, 0, 0 }, NO_REGISTER },
	{ { KT_WATCH_ON, 0, 32, 0, 0 }, NO_REGISTER },
	{ { KT_WATCH_OFF, 32, 0, 0, 0 }, NO_REGISTER },
	{ { KT_WATCH_OFF, 0, 32, 0, 0 }, "fine" },
	{ { KT_CONST, 0, 0, 0, 248 }, "fine" },
	{ { KT_CONST, 0, 0, 0, 256 }, "an instruction leaves the constants" },
	{ { KT_CONST, 0, 0, 0, -8 }, "an instruction leaves the constants" },
	{ { KT_CONST, 0, 0, 0, 4 }, "a constant is not aligned" },
	{ { KT_EXT, 0, 0, KT_USER, 0 }, NO_FLAG },
	{ { KT_LOAD, 0, 0, 16, 0 }, NO_FLAG },
	{ { KT_LDS, 0, 0, KT_USER, 0 }, NO_FLAG },
	{ { KT_STS, 0, 0, KT_SIGNED, 0 }, NO_FLAG },
	{ { KT_STR, 0, 0, 1, LOHI(0, 8) }, NO_FLAG },
	{ { KT_STACK, 0, 0, 1, 5 }, NO_FLAG },
	{ { KT_JMP, 0, 0, 0, 0 }, "fine" },
	{ { KT_JMP, 0, 0, 0, 1 }, "a jump leaves the program" },
	{ { KT_JMP, 0, 0, 0, -1 }, "fine" },
	{ { KT_JMP, 0, 0, 0, -2 }, "a jump leaves the program" },
	{ { KT_JNZ, 0, 0, 0, 0x7fffffff }, "a jump leaves the program" },
	{ { KT_JNZ, 0, 0, 0, (s32)0x80000000 }, "a jump leaves the program" },
	{ { KT_GET, 0, 0, 0, KT_GETS }, NOTHING },
	{ { KT_GET, 0, 0, 0, -1 }, NOTHING },
	{ { KT_ARG, 0, 0, 0, KT_ARGS_MAX }, NOTHING },
	{ { KT_REG, 0, 0, 0, KT_HOST_REGS }, NOTHING },
	{ { KT_LDS, 0, 0, KT_SIZE_8, 248 }, "fine" },
	{ { KT_LDS, 0, 0, KT_SIZE_8, 249 }, LEAVES },
	{ { KT_STS, 0, 0, KT_SIZE_1, 256 }, LEAVES },
	{ { KT_STS, 0, 0, KT_SIZE_1, -1 }, LEAVES },
	{ { KT_COMM, 0, 0, 0, 240 }, "fine" },
	{ { KT_COMM, 0, 0, 0, 241 }, LEAVES },
	{ { KT_COMM, 0, 0, 0, -1 }, LEAVES },
	{ { KT_ZERO, 0, 0, 0, LOHI(0, 256) }, "fine" },
	{ { KT_ZERO, 0, 0, 0, LOHI(1, 256) }, LEAVES },
	{ { KT_ZERO, 0, 0, 0, LOHI(257, 0) }, LEAVES },
	{ { KT_DATA, 0, 0, 0, LOHI(255, 2) }, LEAVES },
	{ { KT_DATA, 255, 0, 0, LOHI(0, 2) }, "an instruction leaves the constants" },
	{ { KT_DATA, 0, 0, 1, LOHI(0, 2) }, "an instruction leaves the constants" },
	{ { KT_COPY, 8, 0, 0, LOHI(0, 8) }, "fine" },
	{ { KT_COPY, 7, 0, 0, LOHI(0, 8) }, "a copy overlaps itself" },
	{ { KT_COPY, 0, 0, 0, LOHI(7, 8) }, "a copy overlaps itself" },
	{ { KT_COPY, 249, 0, 0, LOHI(0, 8) }, LEAVES },
	{ { KT_COPY, 0, 1, 0, LOHI(0, 8) }, LEAVES },
	{ { KT_STR, 0, 0, 0, LOHI(0, 0) }, "a string has no room" },
	{ { KT_STR, 0, 0, 0, LOHI(250, 7) }, LEAVES },
	{ { KT_BUF, 0, 0, 0, LOHI(0, 8) }, "fine" },
	{ { KT_BUF, 0, 0, 0, LOHI(0, 0) }, "a string has no room" },
	{ { KT_BUF, 0, 0, 0, LOHI(4, 8) }, "an instruction's memory is not aligned" },
	{ { KT_BUF, 0, 0, 0, LOHI(0, 12) }, "an instruction's memory is not aligned" },
	{ { KT_READ, 0, 0, 0, LOHI(8, 249) }, LEAVES },
	{ { KT_SAME, 0, 128, 0, LOHI(0, 128) }, "fine" },
	{ { KT_SAME, 0, 129, 0, LOHI(0, 128) }, LEAVES },
	{ { KT_SAME, 0, 129, 0, LOHI(128, 0) }, LEAVES },
	{ { KT_SAME, 0, 0, 2, LOHI(0, 0) }, LEAVES },
	{ { KT_STRLEN, 0, 0, 0, LOHI(0, 256) }, "fine" },
	{ { KT_STRLEN, 0, 0, 0, LOHI(1, 256) }, LEAVES },
	{ { KT_STRLEN, 32, 0, 0, LOHI(0, 8) }, NO_REGISTER },
	{ { KT_INDEX, 0, 16, 16, LOHI(0, 128) }, "fine" },
	{ { KT_INDEX, 0, 17, 16, LOHI(128, 0) }, LEAVES },
	{ { KT_INDEX, 0, 16, 17, LOHI(0, 128) }, LEAVES },
	{ { KT_CMP, 0, 128, 0, LOHI(0, 128) }, "fine" },
	{ { KT_CMP, 0, 129, 0, LOHI(0, 128) }, LEAVES },
	{ { KT_CMP, 0, 129, 0, LOHI(128, 0) }, LEAVES },
	{ { KT_GLOB, 0, 16, 16, LOHI(0, 128) }, "fine" },
	{ { KT_GLOB, 0, 17, 16, LOHI(128, 0) }, LEAVES },
	{ { KT_GLOB, 0, 16, 17, LOHI(0, 128) }, LEAVES },
	{ { KT_FRAMES, 0, 32, 0, 0 }, NO_REGISTER },
	{ { KT_MNEXT, 0, 4, 0, LOHI(0, 0) }, "an instruction names no map" },
	{ { KT_MNEXT, 0, 1, 0, LOHI(248, 0) }, "a key is not in the scratch memory" },
	{ { KT_MNEXT, 0, 3, 0, LOHI(0, 0) }, "fine" },
	{ { KT_MGET, 0, 4, 0, LOHI(0, 0) }, "an instruction names no map" },
	{ { KT_MGET, 0, 3, 0, LOHI(0, 0) }, "a histogram is no number" },
	{ { KT_MHAS, 0, 3, 0, LOHI(0, 0) }, "fine" },
	{ { KT_MHAS, 0, 1, 0, LOHI(240, 0) }, "fine" },
	{ { KT_MHAS, 0, 1, 0, LOHI(248, 0) }, "a key is not in the scratch memory" },
	{ { KT_MDEL, 0, 1, 0, LOHI(4, 0) }, "a key is not in the scratch memory" },
	{ { KT_MSET, 0, 1, 0, LOHI(0, 0) }, "a map's value is no number" },
	{ { KT_MADD, 0, 2, 0, LOHI(0, 0) }, "a map's value is no number" },
	{ { KT_MADD, 32, 0, 0, LOHI(0, 0) }, NO_REGISTER },
	{ { KT_MGETV, 0, 1, 0, LOHI(0, 0) },
	  "what is counted has no value to be set or got" },
	{ { KT_MSETV, 0, 2, 0, LOHI(0, 232) }, "fine" },
	{ { KT_MSETV, 0, 2, 0, LOHI(0, 240) }, "a value is not in the scratch memory" },
	{ { KT_MGETV, 0, 2, 0, LOHI(0, 4) }, "a value is not in the scratch memory" },
	{ { KT_MAGG, 0, 0, 0, LOHI(0, 0) },
	  "a map that has a value is not for counting" },
	{ { KT_STACK, 0, 0, 0, 0 }, "a stack has a wrong depth" },
	{ { KT_STACK, 0, 0, 0, 17 }, "a stack has a wrong depth" },
	{ { KT_EMIT, 2, 0, 0, LOHI(0, 8) }, "fine" },
	{ { KT_EMIT, 3, 0, 0, LOHI(0, 8) }, "an instruction names no event" },
	{ { KT_EMIT, 0, 1, 0, LOHI(0, 8) }, "an instruction names no event" },
	{ { KT_EMIT, 0, 0, 0, LOHI(256, 8) }, LEAVES },
	{ { KT_EMIT, 0, 0, 0, LOHI(0, 12) }, "an instruction's memory is not aligned" },
};

static void instructions(void **unused)
{
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		begin();
		build.insns[build.head.insns_nr++] = insns[i].insn;
		build_insn(&build, KT_END, 0, 0, 0, 0);
		build_program(&build);
		assert_string_equal(check(build.program, build.program->size),
				    insns[i].says);
		free(build.program);
	}
}

static void ends(void **unused)
{
	(void)unused;
	begin();
	build_insn(&build, KT_MOVI, 0, 0, 0, 0);
	build_program(&build);
	assert_string_equal(check(build.program, build.program->size),
			    "the program does not end");
	free(build.program);
	begin();
	build.head.ring = 0;
	build_insn(&build, KT_EMIT, 0, 0, 0, LOHI(0, 8));
	build_insn(&build, KT_END, 0, 0, 0, 0);
	build_program(&build);
	assert_string_equal(check(build.program, build.program->size),
			    "there are no rings for events");
	free(build.program);
}

/* A program of the largest size is still checked at once. */
static void largest(void **unused)
{
	u32 size = sizeof(struct kt_program) + KT_INSNS_MAX * sizeof(struct kt_insn) +
		   (KT_PROBES_MAX / 4) * sizeof(struct kt_probe), i;
	struct kt_program *p = calloc(1, size);
	struct kt_probe *probe;

	(void)unused;
	p->magic = KT_MAGIC;
	p->version = KT_VERSION;
	p->size = size;
	p->shards = 1;
	p->insns = p->maps = p->data = p->names = sizeof(*p);
	p->insns_nr = KT_INSNS_MAX;
	p->probes = size - (KT_PROBES_MAX / 4) * (u32)sizeof(*probe);
	p->probes_nr = KT_PROBES_MAX / 4;
	for (i = 0; i < p->probes_nr; i++) {
		probe = (struct kt_probe *)((u8 *)p + p->probes) + i;
		*probe = (struct kt_probe){ .addr = i + 1, .name = KT_NO_NAME,
					    .first = i % KT_INSNS_MAX, .nr = 1 };
	}
	build_sum(p);
	assert_string_equal(check(p, size), "fine");
	free(p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(head),
		cmocka_unit_test(wholeness),
		cmocka_unit_test(tables),
		cmocka_unit_test(too_much),
		cmocka_unit_test(instructions),
		cmocka_unit_test(ends),
		cmocka_unit_test(largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
