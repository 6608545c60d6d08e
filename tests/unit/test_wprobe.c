/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_wprobe.c - watch probes on simulated debug registers: what happens when
 * there are none, when memory runs out, and when reports come late.
 *
 * Covers: core/wprobe.c, core/access.c, core/unload.c
 */
#include "unit.h"
#include "probe.h"

#include <kprobes/control.h>
#include <kprobes/watch.h>

#define word(i) (((long *)(void *)sim_data)[i])
#define NR 5

static int calls;
static struct kp_access last;
static struct wprobe wps[NR], *all[NR];

static void on_access(struct wprobe *wp, struct pt_regs *regs,
		      const struct kp_access *access)
{
	assert_non_null(wp);
	assert_int_equal(regs->pc, 0x123456);
	calls++;
	last = *access;
}

static void make(void)
{
	int i;

	sim_symbol("on_access", (uintptr_t)on_access, 8);
	memset(sim_data, 0, 256);
	for (i = 0; i < NR; i++) {
		wps[i] = (struct wprobe){
			.kp.addr = (kprobe_opcode_t *)&word(i),
			.handler = on_access, .type = KP_WATCH_WRITE, .len = 8,
		};
		all[i] = &wps[i];
	}
	calls = 0;
}

static bool set(int i, long value)
{
	struct pt_regs regs = { .pc = 0x123456 };

	word(i) = value;
	return sim_access((uintptr_t)&word(i), 8, true, &regs);
}

static void K_WAT_12_one_too_many(void **state)
{
	(void)state;
	make();
	/* All or none. */
	assert_int_equal(register_wprobes(all, NR), -ENOSPC);
	assert_non_null(wps[NR - 1].kp.reason);
	assert_int_equal(sim_watched(), 0);
	assert_false(set(0, 1));
	make();
	assert_int_equal(register_wprobes(all, NR - 1), 0);
	assert_int_equal(sim_watched(), NR - 1);
	assert_true(set(2, 7));
	assert_int_equal(calls, 1);
	assert_int_equal(last.addr, (uintptr_t)&word(2));
	assert_int_equal(last.before, 0);
	assert_int_equal(last.after, 7);
	unregister_wprobes(all, NR - 1);
	assert_int_equal(sim_watched(), 0);
}

static void K_WAT_10_19_no_register_is_left(void **state)
{
	(void)state;
	make();
	assert_int_equal(register_wprobe(&wps[0]), 0);
	assert_int_equal(disable_wprobe(&wps[0]), 0);
	sim_script(SIM_WATCH, "f");
	assert_int_equal(enable_wprobe(&wps[0]), -ENOSPC);
	assert_true(wps[0].kp.flags & KPROBE_FLAG_DISABLED);
	assert_non_null(wps[0].kp.reason);
	assert_int_equal(enable_wprobe(&wps[0]), 0);
	assert_int_equal(kprobes_set_enabled(false), 0);
	assert_int_equal(sim_watched(), 0);
	/* The switch says that it could not; the next time it can. */
	sim_script(SIM_WATCH, "f");
	assert_int_equal(kprobes_set_enabled(true), -ENOSPC);
	assert_int_equal(kprobes_set_enabled(false), 0);
	assert_int_equal(kprobes_set_enabled(true), 0);
	assert_true(set(0, 1));
	assert_int_equal(calls, 1);
	unregister_wprobe(&wps[0]);
}

static void no_memory(void **state)
{
	const char *script[] = { "f", "af" };
	size_t i, before = sim_counts.allocs;

	(void)state;
	for (i = 0; i < 2; i++) {
		make();
		sim_script(SIM_ALLOC, script[i]);
		assert_int_equal(register_wprobe(&wps[0]), -ENOMEM);
		assert_string_equal(wps[0].kp.reason, "out of memory");
		assert_int_equal(sim_counts.allocs, before);
	}
}

/* The host has a report under way when the probe goes. */
static void late_reports(void **state)
{
	struct pt_regs regs = { .pc = 0x123456 };

	(void)state;
	make();
	assert_int_equal(register_wprobe(&wps[0]), 0);
	kp_core_on_late_access((uintptr_t)&word(0));
	assert_int_equal(wps[0].kp.nmissed, 1);
	unregister_wprobe(&wps[0]);
	kp_core_on_access(&regs, (uintptr_t)&word(0));
	kp_core_on_late_access((uintptr_t)&word(0));
	assert_int_equal(calls, 0);
	assert_int_equal(wps[0].kp.nmissed, 1);
}

/* Without a context there is nobody to call. */
static void K_WAT_14_no_context(void **state)
{
	(void)state;
	make();
	assert_int_equal(register_wprobe(&wps[0]), 0);
	sim_script(SIM_ENTER, "f");
	assert_true(set(0, 1));
	assert_int_equal(calls, 0);
	assert_int_equal(wps[0].kp.nmissed, 1);
	/* What was missed is no change of the next one's. */
	assert_true(set(0, 2));
	assert_int_equal(calls, 1);
	assert_int_equal(last.before, 0);
	assert_int_equal(last.after, 2);
	unregister_wprobe(&wps[0]);
}

static void K_WAT_03_05_words_of_one_probe(void **state)
{
	struct pt_regs regs = { .pc = 0x123456 };

	(void)state;
	make();
	wps[0].len = 16;
	wps[0].type = KP_WATCH_CHANGED;
	assert_int_equal(register_wprobe(&wps[0]), 0);
	assert_int_equal(sim_watched(), 2);
	word(0) = word(1) = 3;
	/* One report for both. */
	assert_true(sim_access((uintptr_t)&word(0), 16, true, &regs));
	assert_int_equal(calls, 2);
	assert_int_equal(last.addr, (uintptr_t)&word(1));
	assert_true(set(1, 3));
	assert_int_equal(calls, 2);
	unregister_wprobe(&wps[0]);
}

static void K_WAT_24_memory_goes(void **state)
{
	(void)state;
	make();
	assert_int_equal(register_wprobe(&wps[0]), 0);
	kp_core_on_text_gone((uintptr_t)sim_data, 8);
	assert_int_equal(sim_watched(), 0);
	assert_true(wps[0].kp.flags & KPROBE_FLAG_GONE);
	assert_int_equal(enable_wprobe(&wps[0]), -EINVAL);
	/* Other memory may come to be there. */
	wps[1].kp.addr = wps[0].kp.addr;
	assert_int_equal(register_wprobe(&wps[1]), 0);
	assert_true(set(0, 1));
	assert_int_equal(calls, 1);
	unregister_wprobe(&wps[0]);
	unregister_wprobe(&wps[1]);
}

/* What is watched begins before it. */
static void K_WAT_24_a_part_goes(void **state)
{
	(void)state;
	make();
	wps[0].len = 16;
	wps[0].type = KP_WATCH_CHANGED;
	assert_int_equal(register_wprobe(&wps[0]), 0);
	kp_core_on_text_gone((uintptr_t)&word(2), 64);
	assert_int_equal(sim_watched(), 2);
	kp_core_on_text_gone((uintptr_t)&word(1), 64);
	assert_int_equal(sim_watched(), 0);
	assert_true(wps[0].kp.flags & KPROBE_FLAG_GONE);
	unregister_wprobe(&wps[0]);
}

static void K_WAT_26_of_one_task(void **state)
{
	(void)state;
	make();
	wps[0].task = 7;
	wps[1].kp.addr = wps[0].kp.addr;
	wps[1].task = -SIM_PROCESS;
	assert_int_equal(register_wprobes(all, 2), 0);
	assert_true(set(0, 1));
	assert_int_equal(calls, 1);
	sim_task = 7;
	assert_true(set(0, 2));
	assert_int_equal(calls, 3);
	/* What the other one did is no change of this one's. */
	assert_int_equal(last.before, 1);
	unregister_wprobes(all, 2);
}

/* The engine stops with probes: teardown looks for memory. */
static void the_engine_stops(void **state)
{
	(void)state;
	make();
	wps[1].kp.addr = wps[0].kp.addr;
	assert_int_equal(register_wprobes(all, 3), 0);
	assert_int_equal(kp_core_clear(), 0);
	assert_int_equal(sim_watched(), 0);
}

static long seen[8][2];
static int seen_nr;

static void note_change(struct wprobe *wp, struct pt_regs *regs,
			const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	if (seen_nr < 8) {
		seen[seen_nr][0] = (long)access->before;
		seen[seen_nr][1] = (long)access->after;
	}
	seen_nr++;
}

static void reported(struct kp_arch_change change)
{
	struct pt_regs regs = { .pc = (uintptr_t)sim_text + 64 };

	kp_toy_change = change;
	assert_true(sim_access((uintptr_t)&word(0), 8, true, &regs));
	kp_toy_change = (struct kp_arch_change){ .kind = KP_ARCH_CHANGED_UNKNOWN };
}

/* Reports come when all have written: each has its own change all the same. */
static void K_WAT_21_changes_at_once(void **state)
{
	const struct kp_arch_change up = { .kind = KP_ARCH_CHANGED_ADDED, .by = 1 };
	const struct kp_arch_change down = { .kind = KP_ARCH_CHANGED_ADDED, .by = ~0ul };
	const struct kp_arch_change none = { .kind = KP_ARCH_CHANGED_NOT };
	const struct kp_arch_change unknown = { .kind = KP_ARCH_CHANGED_UNKNOWN };
	const struct kp_arch_change flips = { .kind = KP_ARCH_CHANGED_FLIPPED, .by = 4 };
	const struct kp_arch_change xadd = { .kind = KP_ARCH_CHANGED_FROM, .before = 7, .by = 1 };
	const struct kp_arch_change cas = { .kind = KP_ARCH_CHANGED_FROM_TO, .before = 7,
					    .after = 9 };
	static const long wanted[][2] = {
		{ 0, 1 }, { 1, 2 }, { 2, 3 },	/* three that count up */
		{ 2, 3 }, { 4, 3 },		/* up and down: where it was */
		{ 3, 7 },			/* all else is looked at */
		{ 3, 7 }, { 7, 9 },
	};
	size_t i;

	(void)state;
	make();
	sim_symbol("note_change", (uintptr_t)note_change, 8);
	wps[0].handler = note_change;
	wps[0].type = KP_WATCH_CHANGED;
	assert_int_equal(register_wprobe(&wps[0]), 0);
	seen_nr = 0;
	word(0) = 3;
	reported(up);
	reported(up);
	reported(up);
	reported(up);
	reported(down);
	reported(none);
	reported(unknown);
	assert_int_equal(seen_nr, 5);
	word(0) = 7;
	reported(unknown);
	reported(flips);
	word(0) = 9;
	reported(cas);
	for (i = 0; i < 8; i++) {
		assert_int_equal(seen[i][0], wanted[i][0]);
		assert_int_equal(seen[i][1], wanted[i][1]);
	}
	/* It is what it was before: others did that. */
	word(0) = 7;
	seen_nr = 0;
	reported(xadd);
	assert_int_equal(seen[0][0], 7);
	assert_int_equal(seen[0][1], 8);
	unregister_wprobe(&wps[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(K_WAT_12_one_too_many),
		UNIT(K_WAT_10_19_no_register_is_left),
		UNIT(no_memory),
		UNIT(late_reports),
		UNIT(K_WAT_14_no_context),
		UNIT(K_WAT_03_05_words_of_one_probe),
		UNIT(K_WAT_24_memory_goes),
		UNIT(K_WAT_24_a_part_goes),
		UNIT(K_WAT_26_of_one_task),
		UNIT(K_WAT_21_changes_at_once),
		UNIT(the_engine_stops),
	};

	return cmocka_run_group_tests_name("wprobe", tests, NULL, NULL);
}
