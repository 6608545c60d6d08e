// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Maps: each kind counts what it should, keys come and go, and many threads at once
 * lose nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "build.h"

/* @[arg0] = KIND(arg1), on two processors in turn. */
static void build_keyed(struct build *build, u32 kind)
{
	build_begin(build);
	build->head.shards = 2;
	build_map(build, kind, 8, 0, 100);
	build->maps[0].min = 10;
	build->maps[0].max = 30;
	build->maps[0].step = 5;
	build_insn(build, KT_ARG, 0, 0, 0, 0);
	build_insn(build, KT_STS, 0, 0, KT_SIZE_8, 16);
	build_insn(build, KT_ARG, 1, 0, 0, 1);
	build_insn(build, KT_MAGG, 1, 0, 0, LOHI(16, 0));
	build_insn(build, KT_END, 0, 0, 0, 0);
	assert_null(build_done(build));
}

static void hit(struct build *build, u64 key, s64 value)
{
	struct pt_regs regs = { { key, (u64)value } };

	fake_cpu++;
	build_hit(build, &regs);
}

static void kinds(void **unused)
{
	static const s64 expected[KT_MAP_KINDS] = {
		[KT_MAP_COUNT] = 4, [KT_MAP_SUM] = 24, [KT_MAP_MIN] = -7,
		[KT_MAP_MAX] = 20, [KT_MAP_AVG] = 6, [KT_MAP_STATS] = 6,
	};
	struct build build;
	u64 key = 77;
	u32 kind;

	(void)unused;
	for (kind = KT_MAP_COUNT; kind < KT_MAP_HIST; kind++) {
		build_keyed(&build, kind);
		assert_int_equal(kt_map_get(&build.vm, 0, &key), 0);
		hit(&build, key, 20);
		hit(&build, key, -7);
		hit(&build, key, 11);
		hit(&build, key, 0);
		hit(&build, key + 1, 1000);
		assert_int_equal((s64)kt_map_get(&build.vm, 0, &key), expected[kind]);
		build_free(&build);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
