// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plans: which clauses get one, and that a hit does the same with it as by the machine,
 * of clauses at random, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "build.h"
#include "filter.h"

#define RANDOM_CLAUSES 30000

static struct build build;

/* Where comparisons come out differently. */
static const u64 edges[] = {
	0, 1, 2, 5, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x7fffffff, 0x80000000,
	0xffffffff, 0x100000000, 1ull << 63, (1ull << 63) - 1, (1ull << 63) + 1,
	~0ull, ~0ull - 1, ~0ull - 127, ~0ull - 128, 0xffffffff80000000, 1001, 1002,
};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static u64 any(u64 *state, u64 end)
{
	return (random_next(state) >> 8) % end;
}

static const struct kt_plan *plan(void)
{
	const struct kt_plan *p;

	assert_null(build_done(&build));
	kt_plans(&build.vm);
	p = kt_plan_of(&build.vm, 0);
	return p->entry == KT_PLAN_RUN ? NULL : p;
}

/* Is it turned away before it is a hit?  Both ways to know say the same. */
static bool is_filtered(const struct kt_plan *plan, const struct pt_regs *regs)
{
	struct kt_range range;
	bool wants;

	if (!kt_plan_filters(plan))
		return false;
	wants = kt_filter(plan, regs);
	if (kt_plan_range(plan, &range))
		assert_int_equal(kt_in_range(&range, regs->r[plan->steps[0].from]),
				 wants);
	return !wants;
}

/*
 * The machine and the plan, of the same hits in two arenas; how many a filter turned
 * away.
 */
static u32 compare(u64 *state)
{
	const struct kt_plan *plan = kt_plan_of(&build.vm, 0);
	struct kt_vm run = build.vm;
	u32 i, k, nr = 0;

	kt_arena_begin(&run, calloc(1, run.layout.size), 1000);
	for (i = 0; i < 24; i++) {
		struct kt_hit hit = { .addr = 0x1000 };
		struct pt_regs regs;

		for (k = 0; k < KT_HOST_REGS; k++)
			regs.r[k] = edges[any(state, EDGES)];
		hit.regs = &regs;
		kt_run(&run, 0, &hit);
		if (is_filtered(plan, &regs))
			nr++;
		else
			kt_serve(&build.vm, plan, 0, &hit);
		assert_memory_equal(run.arena, build.vm.arena, run.layout.size);
	}
	free(run.arena);
	return nr;
}

/* ---- what there is a plan for -------------------------------------------------- */

static void begin(u32 key_len)
{
	build_begin(&build);
	build_map(&build, KT_MAP_COUNT, key_len, 0, 100);
}

static void end(void)
{
	build_insn(&build, KT_END, 0, 0, 0, 0);
}

/* So many decisions. */
static void expect(u32 steps, bool adds)
{
	const struct kt_plan *p = plan();
	u64 state = 1;

	assert_non_null(p);
	assert_int_equal(p->steps_nr, steps);
	assert_int_equal(p->adds, adds);
	compare(&state);
	build_free(&build);
}

static void counts(void **unused)
{
	(void)unused;
	begin(0);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	end();
	expect(0, true);
	/* @[arg0] */
	begin(8);
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 0);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	end();
	expect(0, true);
	/* @[tid, (int8)arg1] */
	begin(16);
	build_insn(&build, KT_GET, 0, 0, 0, KT_GET_TID);
	build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 0);
	build_insn(&build, KT_ARG, 0, 0, 0, 1);
	build_insn(&build, KT_EXT, 0, 0, KT_SIZE_1 | KT_SIGNED, 0);
	build_insn(&build, KT_STS, 0, 0, KT_SIZE_8, 8);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	end();
	expect(0, true);
}

/* /arg0 == 5/, with a body that only the machine can do. */
static void filter(void **unused)
{
	const struct kt_plan *p;

	(void)unused;
	begin(0);
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_EQI, 0, 0, 0, 5);
	build_insn(&build, KT_JZ, 0, 0, 0, 2);
	build_insn(&build, KT_COMM, 0, 0, 0, 0);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	end();
	p = plan();
	assert_non_null(p);
	assert_int_equal(p->steps_nr, 1);
	assert_int_equal(p->steps[0].yes, KT_PLAN_RUN);
	assert_int_equal(p->steps[0].no, KT_PLAN_END);
	build_free(&build);
}

/* /arg0 == 5 && arg1 > 3 || !pid/, as the front writes it. */
static void logic(void **unused)
{
	(void)unused;
	begin(0);
	build_insn(&build, KT_ARG, 0, 0, 0, 0);
	build_insn(&build, KT_EQI, 0, 0, 0, 5);
	build_insn(&build, KT_JZ, 0, 0, 0, 4);
	build_insn(&build, KT_ARG, 0, 0, 0, 1);
	build_insn(&build, KT_MOVI, 1, 0, 0, 3);
	build_insn(&build, KT_ULT, 0, 1, 0, 0);
	build_insn(&build, KT_JNZ, 0, 0, 0, 3);
	build_insn(&build, KT_GET, 0, 0, 0, KT_GET_PID);
	build_insn(&build, KT_EQI, 0, 0, 0, 0);
	build_insn(&build, KT_JZ, 0, 0, 0, 1);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	end();
	/* What follows the first && is reached in two ways. */
	expect(4, true);
}

/* What does more than values: nothing is planned. */
static void machine(void **unused)
{
	static const u8 ops[] = { KT_COMM, KT_ZERO, KT_MGET, KT_OVERRIDE };
	u32 i;

	(void)unused;
	for (i = 0; i < sizeof(ops); i++) {
		begin(0);
		build_insn(&build, ops[i], 0, 0, 0, 0);
		build_insn(&build, KT_MAGG, 0, 0, 0, 0);
		end();
		assert_null(plan());
		build_free(&build);
	}
	/* Two additions; a loop. */
	begin(0);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	build_insn(&build, KT_MAGG, 0, 0, 0, 0);
	end();
	assert_null(plan());
	build_free(&build);
	begin(0);
	build_insn(&build, KT_JMP, 0, 0, 0, -1);
	end();
	assert_null(plan());
	build_free(&build);
}

/* ---- at random ------------------------------------------------------------------ */

static void random_insn(u64 *state)
{
	static const u8 ops[] = {
		KT_MOV, KT_MOVI, KT_CONST, KT_ARG, KT_ARG, KT_ARG, KT_GET, KT_EXT,
		KT_EQI, KT_EQI, KT_NEI, KT_EQ, KT_NE, KT_ULT, KT_ULE, KT_SLT, KT_SLE,
		KT_JMP, KT_JZ, KT_JZ, KT_JNZ, KT_JNZ, KT_STS, KT_LDS, KT_MAGG, KT_END,
	};
	u8 op = ops[any(state, sizeof(ops))];
	u32 c = (u32)any(state, 3);
	s32 imm = (s32)edges[any(state, EDGES)];

	if (op == KT_JMP || op == KT_JZ || op == KT_JNZ)
		imm = (s32)any(state, 6);
	else if (op == KT_CONST || op == KT_STS || op == KT_LDS)
		imm = 8 * (s32)any(state, op == KT_CONST ? EDGES : 3);
	else if (op == KT_ARG || op == KT_GET)
		imm = (s32)any(state, op == KT_ARG ? 7 : KT_GETS);
	else if (op == KT_MAGG)
		imm = 8 * (s32)any(state, 2);
	if (op == KT_STS || op == KT_LDS)
		c = KT_SIZE_8;
	if (op == KT_EXT)
		c = (u32)any(state, 8);
	build_insn(&build, op, (u32)any(state, 3),
		   (u32)any(state, 3), c, imm);
}

static void at_random(void **unused)
{
	static const u32 kinds[] = { KT_MAP_COUNT, KT_MAP_SUM, KT_MAP_MAX };
	u64 state = 20261122, planned = 0, decided = 0, added = 0, filtered = 0;
	u32 i, k;

	(void)unused;
	for (i = 0; i < RANDOM_CLAUSES; i++) {
		const struct kt_plan *p;

		build_begin(&build);
		memcpy(build.data, edges, sizeof(edges));
		for (k = 0; k < 3; k++)
			build_map(&build, kinds[any(&state, 3)], 8 * (u32)any(&state, 3),
				  0, 100);
		/* A clause begins with what it asks. */
		build_insn(&build, KT_ARG, 0, 0, 0, (s32)any(&state, 6));
		for (k = 3 + (u32)any(&state, 12); k; k--)
			random_insn(&state);
		for (k = 0; k < 7; k++)
			end();
		p = plan();
		if (p) {
			planned++;
			decided += p->steps_nr > 1;
			added += p->adds;
			filtered += compare(&state);
		}
		build_free(&build);
	}
	assert_true(planned > RANDOM_CLAUSES / 10);
	assert_true(decided > RANDOM_CLAUSES / 50 && added > RANDOM_CLAUSES / 200);
	assert_true(filtered > RANDOM_CLAUSES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(filter),
		cmocka_unit_test(logic),
		cmocka_unit_test(machine),
		cmocka_unit_test(at_random),
	};

	return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
