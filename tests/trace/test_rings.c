// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rings: what was put is taken, in order and whole; what had no room is known to
 * who put it; killed writers and nonsense do not stop the others.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "build.h"

#define WRITERS 4
#define RECORDS 200000

static struct build build;
static u64 taken[KT_RECORD_MAX / 8];
static u64 skipped;

static void begin(u32 size)
{
	build_begin(&build);
	build.head.events_nr = WRITERS;
	build.head.ring = size;
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	skipped = 0;
}

static struct kt_ring *the_ring(void)
{
	return (void *)(build.vm.arena + build.vm.layout.rings);
}

/* A record of a writer: its number in event, a count, and that count again. */
static bool put(u32 writer, u64 count)
{
	struct kt_record head = { .event = writer, .nsecs = count, .tid = writer };
	u64 bytes[20], i;
	u32 nr = (u32)(count * 7 + writer) % 20;

	for (i = 0; i < nr; i++)
		bytes[i] = count + i;
	return kt_ring_put(&build.vm, 0, &head, bytes, nr * 8);
}

/* NULL, or one that is as it was put. */
static const struct kt_record *take(void)
{
	const struct kt_record *record = (void *)taken;
	u32 len = kt_ring_take(&build.vm, 0, taken, &skipped), i;
	const u64 *words = (void *)record->bytes;

	if (!len)
		return NULL;
	assert_int_equal(record->len, len);
	assert_int_equal(len, sizeof(*record) +
			 (record->nsecs * 7 + record->event) % 20 * 8);
	for (i = 0; i < (len - sizeof(*record)) / 8; i++)
		assert_int_equal(words[i], record->nsecs + i);
	return record;
}

static void assert_taken(u32 writer, u64 count)
{
	const struct kt_record *record = take();

	assert_non_null(record);
	assert_int_equal(record->event, writer);
	assert_int_equal(record->nsecs, count);
}

/* ---- one after another -------------------------------------------------------- */

static void in_order(void **unused)
{
	u64 count, put_nr = 0, round;

	(void)unused;
	begin(KT_RING_MIN);
	assert_null(take());
	for (round = 0; round < 1000; round++) {
		for (count = 0; put(1, put_nr); count++)
			put_nr++;
		assert_true(count > 10);
		for (; count; count--)
			assert_taken(1, put_nr - count);
		assert_null(take());
	}
	assert_int_equal(skipped, 0);
	build_free(&build);
}

/* All of the ring can be used, and what was taken is zero. */
static void whole(void **unused)
{
	struct kt_record head = { .event = 0 };
	u64 bytes[12] = { 1 };
	u32 i;

	(void)unused;
	begin(KT_RING_MIN);
	for (i = 0; i < KT_RING_MIN / 128; i++)
		assert_true(kt_ring_put(&build.vm, 0, &head, bytes, 96));
	assert_false(kt_ring_put(&build.vm, 0, &head, bytes, 96));
	assert_false(kt_ring_put(&build.vm, 0, &head, bytes, 0));
	for (i = 0; i < KT_RING_MIN / 128; i++)
		assert_int_equal(kt_ring_take(&build.vm, 0, taken, &skipped), 128);
	for (i = 0; i < KT_RING_MIN; i++)
		assert_int_equal(the_ring()->bytes[i], 0);
	build_free(&build);
}

static void no_rings(void **unused)
{
	struct kt_record head = { .event = 0 };

	(void)unused;
	begin(0);
	assert_false(kt_ring_put(&build.vm, 0, &head, NULL, 0));
	assert_int_equal(kt_ring_take(&build.vm, 0, taken, &skipped), 0);
	assert_false(kt_ring_skip(&build.vm, 0, &skipped));
	build_free(&build);
}

/* Programs count what had no room by the probe. */
static void lost(void **unused)
{
	const struct kt_probe_state *state;
	u32 i;

	(void)unused;
	build_begin(&build);
	build.head.events_nr = 1;
	build.head.ring = KT_RING_MIN;
	build_insn(&build, KT_EMIT, 0, 0, 0, LOHI(0, 96));
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	for (i = 0; i < 100; i++)
		build_hit(&build, NULL);
	state = (void *)(build.vm.arena + build.vm.layout.probes);
	assert_int_equal(state->lost, 100 - KT_RING_MIN / 128);
	build_free(&build);
}

/* ---- many at once ------------------------------------------------------------- */

static u64 put_by[WRITERS];
static u32 writing;

static void *write_all(void *arg)
{
	u32 writer = (u32)(unsigned long)arg;
	u64 count;

	for (count = 1; count <= RECORDS; count++) {
		if (put(writer, count))
			put_by[writer]++;
		else
			sched_yield();
	}
	__atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void many_writers(void **unused)
{
	u64 last[WRITERS] = { 0 }, got[WRITERS] = { 0 };
	const struct kt_record *record;
	pthread_t threads[WRITERS];
	bool more = true;
	u64 i;

	(void)unused;
	begin(1 << 16);
	writing = WRITERS;
	for (i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, write_all, (void *)i);
	while (more) {
		more = __atomic_load_n(&writing, __ATOMIC_ACQUIRE);
		while ((record = take())) {
			assert_true(record->nsecs > last[record->event]);
			last[record->event] = record->nsecs;
			got[record->event]++;
		}
	}
	for (i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(got[i], put_by[i]);
	}
	assert_int_equal(skipped, 0);
	build_free(&build);
}

/* ---- killed writers ----------------------------------------------------------- */

/* Before it said how much it reserved, and after. */
static void holes(void **unused)
{
	struct kt_record *record;
	u32 said;

	(void)unused;
	for (said = 0; said < 2; said++) {
		begin(KT_RING_MIN);
		assert_true(put(1, 1));
		record = (void *)(the_ring()->bytes + the_ring()->head);
		the_ring()->head += 72;
		if (said) {
			record->len = 72;
			memset(&record->nsecs, 0xff, 40);
		}
		assert_true(put(2, 2));
		assert_taken(1, 1);
		assert_null(take());
		assert_int_equal(skipped, 0);
		assert_true(kt_ring_skip(&build.vm, 0, &skipped));
		assert_int_equal(skipped, 72);
		assert_taken(2, 2);
		assert_null(take());
		assert_false(kt_ring_skip(&build.vm, 0, &skipped));
		/* It is written over with zeros, as ever. */
		assert_int_equal(record->nsecs, 0);
		build_free(&build);
	}
}

/* What is whole is not gone over. */
static void no_hole(void **unused)
{
	(void)unused;
	begin(KT_RING_MIN);
	assert_true(put(1, 1));
	assert_true(kt_ring_skip(&build.vm, 0, &skipped));
	assert_int_equal(skipped, 0);
	assert_taken(1, 1);
	build_free(&build);
}

/* At the end of the ring, with what would have been behind it. */
static void hole_at_the_end(void **unused)
{
	(void)unused;
	begin(KT_RING_MIN);
	the_ring()->head = the_ring()->tail = KT_RING_MIN - 40;
	the_ring()->head += 40 + 104;
	assert_true(put(1, 1));
	assert_null(take());
	assert_true(kt_ring_skip(&build.vm, 0, &skipped));
	assert_int_equal(skipped, 40);
	assert_true(kt_ring_skip(&build.vm, 0, &skipped));
	assert_int_equal(skipped, 144);
	assert_taken(1, 1);
	build_free(&build);
}

static void share_arena(void)
{
	void *shared = mmap(NULL, build.vm.layout.size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(shared != MAP_FAILED);
	free(build.vm.arena);
	build.vm.arena = shared;
}

/* A process, killed at any instruction. */
static void killed(void **unused)
{
	const struct kt_record *record;
	u64 round, last, holes_nr = 0;
	pid_t child;

	(void)unused;
	begin(1 << 16);
	share_arena();
	for (round = 0; round < 300; round++) {
		last = 0;
		child = fork();
		assert_true(child >= 0);
		if (!child)
			for (last = 1;; last++)
				put(3, last);
		/* It has begun. */
		while (!(record = take()))
			;
		last = record->nsecs;
		usleep((useconds_t)(round % 40));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		do {
			while ((record = take())) {
				assert_int_equal(record->event, 3);
				assert_true(record->nsecs > last);
				last = record->nsecs;
			}
			holes_nr++;
		} while (kt_ring_skip(&build.vm, 0, &skipped));
		assert_true(put(1, round));
		assert_taken(1, round);
	}
	print_message("%u holes in 300 rounds\n", (u32)holes_nr - 300);
	munmap(build.vm.arena, build.vm.layout.size);
	build.vm.arena = NULL;
	build_free(&build);
}

/* ---- nonsense ----------------------------------------------------------------- */

static const struct {
	u32 len, event;
} records[] = {
	{ KT_WRITTEN, 0 }, { KT_WRITTEN | 4, 0 }, { KT_WRITTEN | 33, 0 },
	{ KT_WRITTEN | 24, 0 }, { KT_WRITTEN | 0x7ffffff8, 0 },
	{ KT_WRITTEN | KT_RING_MIN, 0 }, { KT_WRITTEN | 32, WRITERS },
	{ KT_WRITTEN | 32, 0xfffffffe }, { KT_WRITTEN | 512, KT_FILLER },
	{ KT_WRITTEN | 2000, 0 },
};

/* Other sides may write what they like; then all is dropped, and it goes on. */
static void nonsense(void **unused)
{
	static const struct {
		u64 head, tail;
	} ends[] = {
		{ 0, 8 }, { KT_RING_MIN + 8, 0 }, { 33, 1 }, { ~0ull, 0 },
		{ 36, 0 }, { 1ull << 63, 0 }, { 7, 7 },
	};
	struct kt_record *record;
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		begin(KT_RING_MIN);
		put(1, 1);
		record = (void *)the_ring()->bytes;
		record->len = records[i].len;
		record->event = records[i].event;
		assert_null(take());
		assert_int_equal(skipped, KT_RING_MIN);
		assert_true(put(2, 2));
		assert_taken(2, 2);
		build_free(&build);
	}
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		begin(KT_RING_MIN);
		the_ring()->head = ends[i].head;
		the_ring()->tail = ends[i].tail;
		assert_null(take());
		assert_int_equal(skipped, KT_RING_MIN);
		assert_true(put(2, 2));
		assert_taken(2, 2);
		build_free(&build);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(whole),
		cmocka_unit_test(no_rings),
		cmocka_unit_test(lost),
		cmocka_unit_test(many_writers),
		cmocka_unit_test(holes),
		cmocka_unit_test(no_hole),
		cmocka_unit_test(hole_at_the_end),
		cmocka_unit_test(killed),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
