// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Nanoseconds of typical programs in the machine alone: make bench-trace.  The best
 * of some rounds; no probe, no clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "build.h"

#define ROUNDS 9
#define HITS 1000000

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

static void drain(struct build *build)
{
	u64 record[KT_RECORD_MAX / 8], skipped = 0;

	while (build->head.ring && kt_ring_take(&build->vm, 0, record, &skipped))
		;
}

/* Keys 0 to mask in turn. */
static void measure(const char *name, struct build *build, u64 mask)
{
	u64 best = ~0ull, start, took, round, i;
	struct pt_regs regs = { { 0 } };
	const char *wrong = build_done(build);

	if (wrong) {
		fprintf(stderr, "%s: %s\n", name, wrong);
		exit(1);
	}
	for (round = 0; round < ROUNDS; round++) {
		start = now();
		took = 0;
		for (i = 0; i < HITS; i++) {
			regs.r[0] = i & mask;
			regs.r[1] = i;
			build_hit(build, &regs);
			if (i % 4096 == 4095) {
				took += now() - start;
				drain(build);
				start = now();
			}
		}
		took += now() - start;
		best = took < best ? took : best;
	}
	printf("%-28s %5.1f ns\n", name, (double)best / HITS);
	build_free(build);
}

static void keyed(struct build *build, u32 kind, u32 key_len)
{
	u32 i;

	build_begin(build);
	build->head.scratch = key_len;
	build_map(build, kind, key_len, 0, 8192);
	build_insn(build, KT_ARG, 0, 0, 0, 0);
	for (i = 0; i < key_len; i += 8)
		build_insn(build, KT_STS, 0, 0, KT_SIZE_8, (s32)i);
	build_insn(build, KT_ARG, 0, 0, 0, 1);
	build_insn(build, KT_MAGG, 0, 0, 0, 0);
	build_insn(build, KT_END, 0, 0, 0, 0);
}

static void events(struct build *build)
{
	s32 i;

	build_begin(build);
	build->head.scratch = 48;
	build->head.events_nr = 1;
	build->head.ring = 1 << 20;
	for (i = 0; i < 3; i++) {
		build_insn(build, KT_ARG, 0, 0, 0, i);
		build_insn(build, KT_STS, 0, 0, KT_SIZE_8, 8 * i);
	}
	build_insn(build, KT_EMIT, 0, 0, 0, LOHI(0, 48));
	build_insn(build, KT_END, 0, 0, 0, 0);
}

static void filter(struct build *build)
{
	build_begin(build);
	build->head.scratch = 0;
	build_insn(build, KT_ARG, 0, 0, 0, 1);
	build_insn(build, KT_EQI, 0, 0, 0, -1);
	build_insn(build, KT_JZ, 0, 0, 0, 0);
	build_insn(build, KT_END, 0, 0, 0, 0);
}

/* @start[arg0] = nsecs; @ = hist(nsecs - @start[arg0]); delete(@start[arg0]) */
static void latency(struct build *build)
{
	build_begin(build);
	build->head.scratch = 8;
	build_map(build, KT_MAP_VALUE, 8, 8, 8192);
	build_map(build, KT_MAP_HIST, 0, 0, 1);
	build_insn(build, KT_ARG, 0, 0, 0, 0);
	build_insn(build, KT_STS, 0, 0, KT_SIZE_8, 0);
	build_insn(build, KT_GET, 0, 0, 0, KT_GET_NSECS);
	build_insn(build, KT_MSET, 0, 0, 0, 0);
	build_insn(build, KT_MGET, 0, 0, 0, 0);
	build_insn(build, KT_GET, 1, 0, 0, KT_GET_NSECS);
	build_insn(build, KT_SUB, 1, 1, 0, 0);
	build_insn(build, KT_MAGG, 1, 1, 0, 0);
	build_insn(build, KT_MDEL, 0, 0, 0, 0);
	build_insn(build, KT_END, 0, 0, 0, 0);
}

int main(void)
{
	struct build build;

	build_begin(&build);
	build.head.scratch = 0;
	build_insn(&build, KT_END, 0, 0, 0, 0);
	measure("nothing", &build, 0);
	filter(&build);
	measure("/ arg1 == -1 /", &build, 0);
	keyed(&build, KT_MAP_COUNT, 0);
	measure("@ = count()", &build, 0);
	keyed(&build, KT_MAP_HIST, 0);
	measure("@ = hist(arg1)", &build, 0);
	keyed(&build, KT_MAP_COUNT, 8);
	measure("@[arg0] = count(), 1 key", &build, 0);
	keyed(&build, KT_MAP_COUNT, 8);
	measure("@[arg0] = count(), 1024", &build, 1023);
	keyed(&build, KT_MAP_COUNT, 24);
	measure("@[3 words] = count(), 1024", &build, 1023);
	keyed(&build, KT_MAP_MAX, 8);
	measure("@[arg0] = max(), 1024", &build, 1023);
	latency(&build);
	measure("@start[arg0] there and back", &build, 15);
	events(&build);
	measure("event of 48 bytes", &build, 0);
	return 0;
}
