// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hits that interrupt hits of the same thread lose nothing; and an arena that
 * somebody else scribbles over is no danger to who runs programs or reads.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <cmocka.h>

#include "build.h"

static struct build build;
static bool stop;

static bool is_over(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* ---- signals ------------------------------------------------------------------ */

static u64 hits[2];			/* interrupted ones, and those that did */

/* @[n] = count() and an event, for few keys that come and go. */
static void one_hit(u32 who)
{
	struct pt_regs regs = { { hits[who] & 3 } };

	build_hit(&build, &regs);
	hits[who]++;
}

static void on_signal(int sig)
{
	u32 i;

	(void)sig;
	for (i = 0; i < 4; i++)
		one_hit(1);
}

static void build_counting(void)
{
	build_begin(&build);
	build.head.events_nr = 1;
	build.head.ring = 1 << 16;
	build_map(&build, KT_MAP_COUNT, 8, 0, 64);
	build_map(&build, KT_MAP_VALUE, 8, 8, 64);
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 0);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	build_insn(&build, KT_MSET, 0, 1, 0, 0);
	build_insn(&build, KT_EMIT, 0, 0, 0, LOHI(0, 8));
	build_insn(&build, KT_MDEL, 0, 1, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
}

static void interrupted(void **unused)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { 0 };
	u64 record[KT_RECORD_MAX / 8], skipped = 0, taken = 0;
	struct kt_probe_state *state;
	u32 i;

	(void)unused;
	build_counting();
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 2000000; i++) {
		one_hit(0);
		while (i % 64 == 0 && kt_ring_take(&build.vm, 0, record, &skipped))
			taken++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	while (kt_ring_take(&build.vm, 0, record, &skipped))
		taken++;
	assert_true(hits[1] > 100);
	assert_int_equal(build_total(&build, 0), hits[0] + hits[1]);
	state = (void *)(build.vm.arena + build.vm.layout.probes);
	assert_int_equal(taken + state->lost, hits[0] + hits[1]);
	assert_int_equal(skipped, 0);
	build_free(&build);
}

/* ---- scribbling --------------------------------------------------------------- */

static u64 runs;

static void *run_programs(void *arg)
{
	struct pt_regs regs = { { 7, FAKE_AT + 2048, 3 } };

	fake_cpu = (u32)(unsigned long)arg;
	while (!is_over()) {
		regs.r[0]++;
		build_hit(&build, &regs);
		__atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *scribble(void *arg)
{
	u64 state = (u64)(unsigned long)arg, words = build.vm.layout.size / 8, r;

	while (!is_over()) {
		r = random_next(&state);
		__atomic_store_n((u64 *)build.vm.arena + (r >> 8) % words,
				 r & 1 ? random_next(&state) >> (r >> 1 & 63) : r & 3,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void read_all(void)
{
	u64 record[KT_RECORD_MAX / 8], frames[KT_DEPTH_MAX], skipped = 0;
	u32 i, len;

	build_total(&build, 0);
	for (i = 0; i < build.head.stacks; i++)
		assert_true(kt_stack_get(&build.vm, i, frames, 8) <= 8);
	for (i = 0; i < 1000; i++) {
		len = kt_ring_take(&build.vm, i, record, &skipped);
		assert_true(len <= KT_RECORD_MAX);
		if (len)
			assert_int_equal(((struct kt_record *)record)->len, len);
		else
			kt_ring_skip(&build.vm, i, &skipped);
	}
}

/* The next program that passes. */
static void build_any(u64 *state)
{
	for (;; free(build.program)) {
		random_program(&build, state);
		if (!kt_check(build.program, build.program->size, &build.vm))
			break;
	}
	kt_arena_begin(&build.vm, calloc(1, build.vm.layout.size), 1);
}

static void scribbled(void **unused)
{
	struct timespec little = { 0, 2000000 };
	pthread_t threads[4];
	u64 state = 1, i;
	u32 round;

	(void)unused;
	for (round = 0; round < 200; round++) {
		build_any(&state);
		stop = false;
		for (i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, i < 2 ? run_programs : scribble,
				       (void *)i);
		nanosleep(&little, NULL);
		for (i = 0; i < 10; i++)
			read_all();
		__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
		for (i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		build_free(&build);
	}
	assert_true(runs > 1000);
}

/* All words of the arena the same: what no accident makes, but an attacker does. */
static void filled(void **unused)
{
	static const u64 words[] = {
		0, 1, 2, 3, 8, KT_SLOT_CLAIMED | 64, ~0ull, 1ull << 63, 0x80000020,
		0xffffffff80000008, KT_RING_MIN, KT_RING_MIN - 8,
	};
	struct pt_regs regs = { { 7, FAKE_AT + 2048, 3 } };
	u64 state = 2, i, at;
	u32 round, run;

	(void)unused;
	for (round = 0; round < 300; round++) {
		build_any(&state);
		i = round % (sizeof(words) / sizeof(words[0]));
		for (run = 0; run < 3; run++) {
			for (at = 0; at < build.vm.layout.size / 8; at++)
				((u64 *)build.vm.arena)[at] = words[i];
			build_hit(&build, &regs);
			build_hit(&build, &regs);
			read_all();
		}
		build_free(&build);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupted),
		cmocka_unit_test(scribbled),
		cmocka_unit_test(filled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
