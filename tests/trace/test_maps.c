// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Maps: each kind counts what it should, keys come and go, and many threads at once
 * lose nothing.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "build.h"

static struct build build;

/* @[arg0] = KIND(arg1), on two processors in turn. */
static u32 hist_bits, how;		/* of HIST; of SERIES: enum kt_series_how */

static void build_keyed(u32 kind)
{
	build_begin(&build);
	build.head.shards = 2;
	build_map(&build, kind, 8, 0, 100);
	build.maps[0].min = 10;
	build.maps[0].max = 30;
	build.maps[0].step = kind == KT_MAP_HIST ? hist_bits : kind == KT_MAP_SERIES ? how : 5;
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 16);
	build_insn(&build, KT_ARG, 1, 0, 0, 1);
	build_insn(&build, KT_MAGG, 1, 0, 0, LOHI(16, 0));
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
}

static void hit(u64 key, s64 value)
{
	struct pt_regs regs = { { key, (u64)value } };

	fake_cpu++;
	build_hit(&build, &regs);
}

static void kinds(void **unused)
{
	static const s64 expected[KT_MAP_KINDS] = {
		[KT_MAP_COUNT] = 4, [KT_MAP_SUM] = 24, [KT_MAP_MIN] = -7,
		[KT_MAP_MAX] = 20, [KT_MAP_AVG] = 6, [KT_MAP_STATS] = 6,
	};
	u64 key = 77;
	u32 kind;

	(void)unused;
	for (kind = KT_MAP_COUNT; kind < KT_MAP_HIST; kind++) {
		build_keyed(kind);
		assert_int_equal(kt_map_get(&build.vm, 0, &key), 0);
		hit(key, 20);
		hit(key, -7);
		hit(key, 11);
		hit(key, 0);
		hit(key + 1, 1000);
		assert_int_equal((s64)kt_map_get(&build.vm, 0, &key), expected[kind]);
		build_free(&build);
	}
}


/* ---- what each kind keeps ----------------------------------------------------- */

static u64 bucket(u64 key, u32 number)
{
	u64 total = 0;
	u32 shard;

	for (shard = 0; shard < 2; shard++) {
		const u64 *kept = (void *)kt_map_find(&build.vm, 0, shard, &key);

		total += kept ? kept[number] : 0;
	}
	return total;
}

static void histograms(void **unused)
{
	static const struct {
		s64 value;
		u32 bucket;
	} powers[] = {
		{ -1, 0 }, { (s64)(1ull << 63), 0 }, { 0, 1 }, { 1, 2 },
		{ 2, 3 }, { 3, 3 }, { 4, 4 }, { 1ll << 62, 64 },
		{ (s64)(~0ull >> 1), 64 },
	};
	/* The last bucket is the last one that there is. */
	static const struct {
		u32 bits;
		s64 value;
		u32 bucket;
	} finer[] = {
		{ 2, -5, 0 }, { 2, 0, 1 }, { 2, 3, 4 }, { 2, 4, 5 }, { 2, 7, 8 }, { 2, 8, 9 },
		{ 2, 9, 9 }, { 2, 10, 10 }, { 2, (s64)(~0ull >> 1), 248 },
		{ 5, 31, 32 }, { 5, 32, 33 }, { 5, 63, 64 }, { 5, 64, 65 }, { 5, 65, 65 },
		{ 5, (s64)(~0ull >> 1), 1888 },
	};
	static const struct {
		s64 value;
		u32 bucket;
	} steps[] = {
		{ 9, 0 }, { (s64)(1ull << 63), 0 }, { 10, 1 }, { 14, 1 },
		{ 15, 2 }, { 29, 4 }, { 30, 5 }, { (s64)(~0ull >> 1), 5 },
	};
	u64 i;

	(void)unused;
	for (i = 0; i < sizeof(powers) / sizeof(powers[0]); i++) {
		build_keyed(KT_MAP_HIST);
		hit(i, powers[i].value);
		assert_int_equal(bucket(i, powers[i].bucket), 1);
		build_free(&build);
	}
	for (i = 0; i < sizeof(finer) / sizeof(finer[0]); i++) {
		hist_bits = finer[i].bits;
		build_keyed(KT_MAP_HIST);
		hit(i, finer[i].value);
		assert_int_equal(bucket(i, finer[i].bucket), 1);
		assert_int_equal(kt_value_len(build.vm.maps), 8 * kt_hist_buckets(hist_bits));
		build_free(&build);
	}
	hist_bits = 0;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		build_keyed(KT_MAP_LHIST);
		assert_int_equal(kt_value_len(build.vm.maps), 6 * 8);
		hit(i, steps[i].value);
		assert_int_equal(bucket(i, steps[i].bucket), 1);
		build_free(&build);
	}
}

/* Intervals of 10 ns, 30 of them: what one keeps of several values, and when it begins anew. */
static void series(void **unused)
{
	static const struct {
		s64 values[3], kept;
	} hows[KT_SERIES_HOWS] = {
		[KT_SERIES_LAST] = { { 5, -9, 3 }, 3 }, [KT_SERIES_AVG] = { { 5, -9, 4 }, 0 },
		[KT_SERIES_MAX] = { { 5, -9, 3 }, 5 }, [KT_SERIES_MIN] = { { 5, -9, 3 }, -9 },
		[KT_SERIES_SUM] = { { 5, -9, 3 }, -1 },
	};
	const struct kt_interval *kept;
	u64 key = 7, at;
	u32 i;

	(void)unused;
	for (how = 0; how < KT_SERIES_HOWS; how++) {
		build_keyed(KT_MAP_SERIES);
		assert_int_equal(kt_value_len(build.vm.maps), 30 * sizeof(*kept));
		for (i = 0; i < 3; i++) {
			fake_nsecs = 1000;
			fake_cpu = 1;		/* of one shard */
			hit(key, hows[how].values[i]);
		}
		kept = (void *)kt_map_find(&build.vm, 0, 0, &key);
		at = kept && kept[1000 / 10 % 30].also ? 0 : 1;
		kept = at ? (void *)kt_map_find(&build.vm, 0, 1, &key) : kept;
		assert_non_null(kept);
		at = 1000 / 10 % 30;
		assert_int_equal(kept[at].word >> 2, 1000 / 10 + 1);
		if (how == KT_SERIES_MAX || how == KT_SERIES_MIN)
			assert_int_equal(kt_extreme(how == KT_SERIES_MIN ? KT_MAP_MIN :
						    KT_MAP_MAX, kept[at].value), hows[how].kept);
		else
			assert_int_equal((s64)kept[at].value, hows[how].kept);
		/* 30 intervals later the place is another one's. */
		fake_nsecs = 1300;
		fake_cpu = 1;
		hit(key, 77);
		assert_int_equal(kept[at].word >> 2, 1300 / 10 + 1);
		assert_int_equal(kept[at].also, how == KT_SERIES_LAST ? fake_nsecs : 1);
		build_free(&build);
	}
}

/* The ends of the scales, and that nothing at all is not 0. */
static void extremes(void **unused)
{
	static const s64 values[] = { (s64)(1ull << 63), -1, 0, 1, (s64)(~0ull >> 1) };
	u64 i, kept;
	u32 kind;

	(void)unused;
	for (kind = KT_MAP_MIN; kind <= KT_MAP_MAX; kind++) {
		for (i = 0; i < 5; i++) {
			kept = kt_extreme_keep(kind, values[i]);
			assert_int_equal(kt_extreme(kind, kept), values[i]);
			build_keyed(kind);
			hit(1, values[i]);
			kept = 1;
			assert_int_equal((s64)kt_map_get(&build.vm, 0, &kept), values[i]);
			build_free(&build);
		}
	}
}

/* ---- keys --------------------------------------------------------------------- */

static void begin_values(u32 key_len, u32 value_len, u32 keys)
{
	build_begin(&build);
	build_map(&build, KT_MAP_VALUE, key_len, value_len, keys);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
}

static u64 full(void)
{
	return *(u64 *)(build.vm.arena + build.vm.layout.map_states);
}

static u32 count_keys(void)
{
	const u8 *key;
	u8 *value;
	u32 slot, nr = 0;

	for (slot = 0; slot < kt_slots(build.vm.maps); slot++)
		nr += kt_map_at(&build.vm, 0, 0, slot, &key, &value);
	return nr;
}

/* As many as there may be, and those are all found again. */
static void caps(void **unused)
{
	u64 key[3] = { 0 }, *value;
	u32 i;

	(void)unused;
	begin_values(24, 16, 1000);
	for (i = 0; i < 3000; i++) {
		key[1] = i;
		value = (void *)kt_map_make(&build.vm, 0, 0, key);
		assert_int_equal(!!value, i < 1000);
		if (value)
			value[1] = i;
	}
	assert_int_equal(full(), 2000);
	assert_int_equal(count_keys(), 1000);
	for (i = 0; i < 3000; i++) {
		key[1] = i;
		value = (void *)kt_map_find(&build.vm, 0, 0, key);
		assert_int_equal(!!value, i < 1000);
		assert_true(!value || value[1] == i);
	}
	build_free(&build);
}

/* Deleted keys leave room; their values are not seen again; searches stay short. */
static void churn(void **unused)
{
	struct kt_table_head *head;
	u64 key, *value;

	(void)unused;
	begin_values(8, 8, 64);
	for (key = 1; key < 100000; key++) {
		value = (void *)kt_map_make(&build.vm, 0, 0, &key);
		assert_non_null(value);
		assert_int_equal(*value, 0);
		*value = key;
		if (key > 50)
			assert_true(kt_map_delete(&build.vm, 0, 0, &(u64){ key - 50 }));
		assert_false(kt_map_delete(&build.vm, 0, 0, &(u64){ key + 1 }));
	}
	assert_int_equal(count_keys(), 50);
	assert_int_equal(full(), 0);
	head = (void *)(build.vm.arena + build.vm.layout.maps[0]);
	assert_int_equal(head->keys, 50);
	assert_in_range(head->reach, 1, 40);
	for (key = 100000 - 50; key < 100000; key++) {
		value = (void *)kt_map_find(&build.vm, 0, 0, &key);
		assert_true(value && *value == key);
	}
	build_free(&build);
}

static void single(void **unused)
{
	const u8 *key;
	u64 *value;
	u8 *at;

	(void)unused;
	begin_values(0, 24, 1);
	assert_null(kt_map_find(&build.vm, 0, 0, NULL));
	assert_false(kt_map_at(&build.vm, 0, 0, 0, &key, &at));
	assert_false(kt_map_delete(&build.vm, 0, 0, NULL));
	value = (void *)kt_map_make(&build.vm, 0, 0, NULL);
	value[2] = 9;
	assert_ptr_equal(kt_map_find(&build.vm, 0, 0, NULL), value);
	assert_true(kt_map_at(&build.vm, 0, 0, 0, &key, &at));
	assert_ptr_equal(at, value);
	assert_true(kt_map_delete(&build.vm, 0, 0, NULL));
	assert_null(kt_map_find(&build.vm, 0, 0, NULL));
	value = (void *)kt_map_make(&build.vm, 0, 0, NULL);
	assert_int_equal(value[2], 0);
	build_free(&build);
}

/* What a program does with a map, in one: each result in a place of its own. */
static void instructions(void **unused)
{
	static const u64 expected[] = { 0, 0, 10, 1, 10, 15, 1, 0, 0 };
	u64 record[KT_RECORD_MAX / 8], skipped = 0;
	u32 i = 0;

	(void)unused;
	build_begin(&build);
	build.head.events_nr = 1;
	build.head.ring = KT_RING_MIN;
	build_map(&build, KT_MAP_VALUE, 8, 8, 10);
#define THEN(op) \
	build_insn(&build, op, 1, 0, 0, LOHI(0, 0)), \
	build_insn(&build, KT_STS, 1, 0, KT_SIZE_8, (s32)(16 + 8 * i++))
	THEN(KT_MGET);
	THEN(KT_MHAS);
	build_insn(&build, KT_MOVI, 1, 0, 0, 10);
	THEN(KT_MSET);
	THEN(KT_MHAS);
	build_insn(&build, KT_MOVI, 1, 0, 0, 5);
	THEN(KT_MADD);
	THEN(KT_MGET);
	THEN(KT_MDEL);
	THEN(KT_MDEL);
	THEN(KT_MGET);
	build_insn(&build, KT_EMIT, 0, 0, 0, LOHI(16, sizeof(expected)));
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	build_hit(&build, NULL);
	assert_true(kt_ring_take(&build.vm, 0, record, &skipped));
	assert_memory_equal(((struct kt_record *)record)->bytes, expected,
			    sizeof(expected));
	build_free(&build);
}

/* Values of several words, and none of them where there is none. */
static void long_values(void **unused)
{
	u64 record[KT_RECORD_MAX / 8], skipped = 0;

	(void)unused;
	build_begin(&build);
	build.head.events_nr = 1;
	build.head.ring = KT_RING_MIN;
	build_map(&build, KT_MAP_VALUE, 16, 16, 10);
	memcpy(build.data, "a value of sixte", 16);
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(16, 16));
	build_insn(&build, KT_DATA, 0, 0, 0, LOHI(48, 16));
	build_insn(&build, KT_MSETV, 0, 0, 0, LOHI(0, 16));
	build_insn(&build, KT_MGETV, 0, 0, 0, LOHI(0, 32));
	/* Of another key. */
	build_insn(&build, KT_MGETV, 0, 0, 0, LOHI(16, 48));
	build_insn(&build, KT_EMIT, 0, 0, 0, LOHI(32, 32));
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	build_hit(&build, NULL);
	assert_true(kt_ring_take(&build.vm, 0, record, &skipped));
	assert_memory_equal(((struct kt_record *)record)->bytes,
			    "a value of sixte\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32);
	build_free(&build);
}

/* MHAS and MDEL see what another processor counted. */
static void shards(void **unused)
{
	u64 key = 3;
	u32 shard;

	(void)unused;
	build_begin(&build);
	build.head.shards = 4;
	build_map(&build, KT_MAP_COUNT, 8, 0, 10);
	build_insn(&build, KT_MOVI, 0, 0, 0, 3);
	build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 0);
	build_insn(&build, KT_MHAS, 0, 0, 0, 0);
	build_insn(&build, KT_JZ, 0, 0, 0, 2);
	build_insn(&build, KT_MDEL, 0, 0, 0, 0);
	build_insn(&build, KT_OVERRIDE, 0, 0, 0, 0);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	for (shard = 0; shard < 4; shard++) {
		struct pt_regs regs = { { 0 } };

		assert_false(build_hit(&build, &regs).overridden);
		kt_map_add(&build.vm, 0, shard, &key, 0);
		kt_map_add(&build.vm, 0, 3, &key, 0);
		assert_int_equal(kt_map_get(&build.vm, 0, &key), 2);
		assert_int_equal(build_hit(&build, &regs).value, 1);
		assert_int_equal(kt_map_get(&build.vm, 0, &key), 0);
	}
	build_free(&build);
}

/* MNEXT comes to each key once, in how many shards it may be. */
static void each_once(void **unused)
{
	u64 place, key, seen = 0, found = 0, nr = 0;
	u32 shard;

	(void)unused;
	build_begin(&build);
	build.head.shards = 4;
	build_map(&build, KT_MAP_SUM, 8, 0, 100);
	build_map(&build, KT_MAP_COUNT, 0, 0, 1);
	build_insn(&build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(&build));
	assert_int_equal(kt_map_next(&build.vm, 0, 0, &key, 1u << 20, &seen), 0);
	assert_int_equal(kt_map_next(&build.vm, 1, 0, &key, 1u << 20, &seen), 0);
	for (key = 0; key < 60; key++)
		for (shard = 0; shard < 4; shard++)
			if ((key + shard) % 3)
				kt_map_add(&build.vm, 0, shard, &key, 1);
	key = 7;
	kt_map_delete(&build.vm, 0, 0, &key);
	kt_map_delete(&build.vm, 0, 1, &key);
	kt_map_delete(&build.vm, 0, 2, &key);
	kt_map_delete(&build.vm, 0, 3, &key);
	for (place = 0; (place = kt_map_next(&build.vm, 0, place, &key, 1u << 20, &seen)); nr++) {
		assert_true(key < 60 && key != 7 && !(found & 1ull << key));
		found |= 1ull << key;
	}
	assert_int_equal(nr, 59);
	/* It stops where it is told to. */
	seen = 0;
	assert_int_equal(kt_map_next(&build.vm, 0, 0, &key, 0, &seen), 0);
	kt_map_add(&build.vm, 1, 2, &key, 1);
	seen = 0;
	place = kt_map_next(&build.vm, 1, 0, &key, 1u << 20, &seen);
	assert_int_not_equal(place, 0);
	assert_int_equal(kt_map_next(&build.vm, 1, place, &key, 1u << 20, &seen), 0);
	build_free(&build);
}

/* ---- many at once ------------------------------------------------------------- */

#define THREADS 4
#define HITS 100000

/* All in the same shard: the processor is only a hint. */
static void *count(void *arg)
{
	u64 state = (u64)(unsigned long)arg * 77, i;

	for (i = 0; i < HITS; i++) {
		u64 key = (state = state * 6364136223846793005u + 1) >> 33 & 255;

		kt_map_add(&build.vm, 0, 0, &key, (s64)key);
	}
	return NULL;
}

static void run_threads(void *(*work)(void *))
{
	pthread_t threads[THREADS];
	u64 i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void threads_count(void **unused)
{
	u32 round;

	(void)unused;
	for (round = 0; round < 10; round++) {
		build_begin(&build);
		build_map(&build, KT_MAP_AVG, 8, 0, 512);
		build_insn(&build, KT_END, 0, 0, 0, 0);
		assert_null(build_done(&build));
		run_threads(count);
		assert_int_equal(full(), 0);
		assert_int_equal(build_total(&build, 1), THREADS * HITS);
		/* Twice only where the maker was interrupted, if at all. */
		assert_in_range(count_keys(), 256, 300);
		build_free(&build);
	}
}

/*
 * Keys of one thread that come and go beside those of others: each sees its own, and
 * nothing is left over.
 */
static void *come_and_go(void *arg)
{
	u64 self = (u64)(unsigned long)arg + 1, i;

	for (i = 0; i < HITS; i++) {
		u64 key = self << 32 | (i & 15), *value;

		value = (void *)kt_map_make(&build.vm, 0, 0, &key);
		if (!value)
			return (void *)1;
		__atomic_store_n(value, key, __ATOMIC_RELAXED);
		value = (void *)kt_map_find(&build.vm, 0, 0, &key);
		if (!value || __atomic_load_n(value, __ATOMIC_RELAXED) != key ||
		    !kt_map_delete(&build.vm, 0, 0, &key) ||
		    kt_map_find(&build.vm, 0, 0, &key))
			return (void *)2;
	}
	return NULL;
}

static void threads_come_and_go(void **unused)
{
	pthread_t threads[THREADS];
	void *failed;
	u64 i;

	(void)unused;
	begin_values(8, 8, 64);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, come_and_go, (void *)i);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(count_keys(), 0);
	assert_int_equal(*(u64 *)(build.vm.arena + build.vm.layout.maps[0]), 0);
	build_free(&build);
}

/* The same keys made and deleted by all: no key stays when all are done. */
static void *quarrel(void *arg)
{
	u64 i;

	(void)arg;
	for (i = 0; i < HITS; i++) {
		u64 key = i & 7;

		kt_map_make(&build.vm, 0, 0, &key);
		kt_map_delete(&build.vm, 0, 0, &key);
	}
	return NULL;
}

static void threads_quarrel(void **unused)
{
	u64 key;

	(void)unused;
	begin_values(8, 8, 64);
	run_threads(quarrel);
	for (key = 0; key < 8; key++)
		kt_map_delete(&build.vm, 0, 0, &key);
	assert_int_equal(count_keys(), 0);
	assert_int_equal(*(u64 *)(build.vm.arena + build.vm.layout.maps[0]), 0);
	build_free(&build);
}

/* Who is killed while it makes a key: others go on, and count elsewhere. */
static void killed_maker(void **unused)
{
	u64 key = 5, *word;
	u8 *value;

	(void)unused;
	begin_values(8, 8, 64);
	value = kt_map_make(&build.vm, 0, 0, &key);
	word = (u64 *)value - 2;
	*word = (*word & ~KT_SLOT_STATE) | KT_SLOT_CLAIMED;
	assert_null(kt_map_find(&build.vm, 0, 0, &key));
	assert_ptr_not_equal(kt_map_make(&build.vm, 0, 0, &key), value);
	assert_non_null(kt_map_find(&build.vm, 0, 0, &key));
	/* It was only slow: now there are two, and one deletion is enough. */
	*word = (*word & ~KT_SLOT_STATE) | KT_SLOT_READY;
	assert_int_equal(count_keys(), 2);
	assert_true(kt_map_delete(&build.vm, 0, 0, &key));
	assert_int_equal(count_keys(), 0);
	build_free(&build);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(histograms),
		cmocka_unit_test(series),
		cmocka_unit_test(extremes),
		cmocka_unit_test(caps),
		cmocka_unit_test(churn),
		cmocka_unit_test(single),
		cmocka_unit_test(instructions),
		cmocka_unit_test(long_values),
		cmocka_unit_test(shards), cmocka_unit_test(each_once),
		cmocka_unit_test(threads_count),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(threads_quarrel),
		cmocka_unit_test(killed_maker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
