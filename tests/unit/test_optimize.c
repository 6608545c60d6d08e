/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_optimize.c - from breakpoints to jumps and back.
 *
 * After every single write of text the probed functions hold old bytes, an
 * armed breakpoint or a whole jump, and whatever a core can meet meanwhile is
 * somebody's: that is checked in each test.
 *
 * Covers: core/optimize.c, core/plan.c, core/queue.c, core/patches.c, core/batch.c
 */
#include "unpatched.h"
#include "unit_jumps.h"

/* ---- tests -------------------------------------------------------------------------- */

static void K_OPT_02_40_41_42_queued_then_a_jump(void **state)
{
	struct kprobe p = at(H_LOAD);
	size_t syncs;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(is_breakpoint(H_LOAD));
	assert_true(listed("h+0x7", "[OPTIMIZED]"));
	assert_int_equal(sim_counts.defers, 1);
	syncs = sim_counts.syncs;
	sim_run_deferred();
	assert_true(is_jump(H_LOAD));
	assert_int_equal(sim_counts.syncs - syncs, 2);
	assert_true(listed("h+0x7", "[OPTIMIZED]"));
	assert_null(p.reason);
	unregister_kprobe(&p);
}

static void K_OPT_51_disabled_keeps_the_jump_for_a_while(void **state)
{
	struct kprobe p = at(H_LOAD);

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_run_deferred();
	assert_int_equal(disable_kprobe(&p), 0);
	assert_true(is_jump(H_LOAD));
	assert_true(listed("h+0x7", "[DISABLED][OPTIMIZED]"));
	sim_script(SIM_DEFER, "aa");
	sim_run_deferred();
	sim_run_deferred();
	assert_true(is_original());
	assert_true(listed("h+0x7", "[DISABLED]"));
	unregister_kprobe(&p);
}

/* Each instruction of h, whatever the way. */
static void K_OPT_60_61_every_instruction(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(h_insns); i++) {
		struct kprobe p = at(h_insns[i]);

		assert_int_equal(register_kprobe(&p), 0);
		kp_core_flush();
		if (!is_jump(h_insns[i]))
			print_message("h+%u: %s\n", h_insns[i], p.reason);
		unregister_kprobe(&p);
		kp_core_flush();
		assert_true(is_original());
	}
}

/* ---- what may change ------------------------------------------------------------------ */

/* Nothing outside [from, to) of h changes, whatever is probed there. */
static unsigned int may_from, may_to;

static void check_others(void)
{
	unsigned int i;

	check_text();
	for (i = 0; i < sizeof(h_bytes); i++)
		if (i < may_from || i >= may_to)
			assert_int_equal(sim_text[H_AT + i], h_bytes[i]);
}

/* A probe there gets a jump within those bytes, or a reason. */
static void within(unsigned int offset, unsigned int from, unsigned int to)
{
	struct kprobe p = at(offset);

	may_from = from;
	may_to = to;
	sim_after_write = check_others;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(is_jump(offset) ||
		    (is_breakpoint(offset) && p.reason));
	unregister_kprobe(&p);
	kp_core_flush();
	assert_true(is_original());
	/* The next one is planned anew. */
	kp_core_on_text_gone(h, sizeof(h_bytes));
	sim_after_write = check_text;
}

static void K_OPT_01_03_12_13_17_one_jump(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(h_insns); i++) {
		unsigned int from = h_insns[i];
		struct kprobe p = at(from);

		assert_int_equal(register_kprobe(&p), 0);
		kp_core_flush();
		if (is_jump(from)) {
			const struct kp_detour *detour = site_at(from)->detour;
			const struct kp_arch_jump *jump = &detour->jump;

			assert_true(detour->head - jump->base + jump->reach_down <=
				    jump->reach_down + jump->reach_up);
		}
		unregister_kprobe(&p);
		kp_core_flush();
		within(from, from, from + KP_ARCH_JUMP_MAX);
	}
}

static const uint8_t behind_bytes[] = { TOY_add(0, 0, 7), TOY_RETURN };

static void check_behind(void)
{
	check_text();
	assert_memory_equal(sim_text + H_AT + sizeof(h_bytes), behind_bytes,
			    sizeof(behind_bytes));
}

/* Padding that is nobody's may change; another function may not. */
static void K_OPT_04_05_the_function_ends(void **state)
{
	struct kprobe leave = at(H_POP), ret = at(H_RET);

	(void)state;
	sim_function("behind", H_AT + sizeof(h_bytes), behind_bytes,
		     sizeof(behind_bytes));
	sim_after_write = check_behind;
	assert_int_equal(register_kprobe(&leave), 0);
	assert_int_equal(register_kprobe(&ret), 0);
	kp_core_flush();
	assert_true(is_jump(H_POP) || is_breakpoint(H_POP));
	unregister_kprobe(&leave);
	kp_core_flush();
	unregister_kprobe(&ret);
	kp_core_flush();
	check_behind();
}

/* The functions' other instructions do not matter. */
static void K_OPT_06_07_what_is_elsewhere(void **state)
{
	static const uint8_t elsewhere[] = {
		TOY_add(0, 0, 7),
		TOY_RETURN,
		0, 0,				/* no instructions */
	};
	struct kprobe p = { .symbol_name = "elsewhere" };

	(void)state;
	sim_function("elsewhere", 0x600, elsewhere, sizeof(elsewhere));
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(listed("elsewhere+0x0", "[OPTIMIZED]"));
	assert_int_not_equal(sim_text[0x600], TOY_BREAK);
	unregister_kprobe(&p);
	kp_core_flush();
	assert_memory_equal(sim_text + 0x600, elsewhere, sizeof(elsewhere));
}

static void K_OPT_08_a_fixup_under_the_jump(void **state)
{
	(void)state;
	sim_fixup(h + H_MOVE, H_ADD - H_MOVE);
	within(H_PUSH, H_PUSH, H_MOVE);
	/* Elsewhere in the function it does not matter. */
	within(H_LOAD, H_LOAD, H_SUM);
}

/* Whoever jumps, calls or returns there goes on in the copy. */
static void K_OPT_09_10_11_63_getting_under_the_jump(void **state)
{
	struct pt_regs regs = { 0 };
	struct kprobe p = at(H_PUSH);
	uintptr_t body;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(site_at(H_PUSH)->detour->jump.inner_nr, 2);
	assert_true(kp_landing_find(h + H_MOVE, &body));
	assert_int_equal(kp_core_original_ip(body), h + H_MOVE);
	assert_true(kp_landing_find(h + H_ADD, &body));
	assert_int_equal(kp_core_original_ip(body), h + H_ADD);
	assert_false(kp_landing_find(h + H_PUSH, &body));
	assert_false(kp_landing_find(h + H_LOAD, &body));
	check_boundary(H_MOVE);
	check_boundary(H_ADD);
	assert_int_equal(jump_hit(H_PUSH, &regs), 0);
	unregister_kprobe(&p);
}

static void K_OPT_14_15_16_what_others_patch(void **state)
{
	(void)state;
	sim_region(h + H_MOVE, H_ADD - H_MOVE, KP_TEXT_RESERVED, "a jump label");
	within(H_PUSH, H_PUSH, H_MOVE);
	sim_region(h + H_MOVE, H_ADD - H_MOVE, KP_TEXT_OK, NULL);
	assert_int_equal(kp_core_blacklist_add(h + H_MOVE, H_ADD - H_MOVE, "h"), 0);
	within(H_PUSH, H_PUSH, H_MOVE);
	kp_core_blacklist_remove(h + H_MOVE, 3);
}

/* A debugger's, that was there before. */
static void K_OPT_16_a_foreign_breakpoint(void **state)
{
	struct kprobe p = at(H_PUSH);

	(void)state;
	sim_after_write = NULL;
	sim_text[H_AT + H_MOVE] = TOY_BREAK;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_int_equal(sim_text[H_AT + H_MOVE], TOY_BREAK);
	assert_memory_equal(sim_text + H_AT + H_MOVE + 1,
			    h_bytes + H_MOVE + 1, H_LOAD - H_MOVE - 1);
	unregister_kprobe(&p);
	kp_core_flush();
	sim_text[H_AT + H_MOVE] = h_bytes[H_MOVE];
	assert_true(is_original());
}

/* A debugger's, put on the jump: it keeps a copy of what it found there. */
static void a_foreign_breakpoint_on_a_jump(void **state)
{
	struct kprobe p = at(H_LOAD);
	uint8_t first;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(is_jump(H_LOAD));
	first = sim_text[H_AT + H_LOAD];
	sim_after_write = NULL;
	sim_text[H_AT + H_LOAD] = TOY_BREAK;
	unregister_kprobe(&p);
	kp_core_flush();
	assert_int_equal(sim_text[H_AT + H_LOAD], TOY_BREAK);
	assert_memory_not_equal(sim_text + H_AT + H_LOAD + 1,
				h_bytes + H_LOAD + 1, 3);
	assert_int_equal(kp_core_stop(), -EBUSY);
	/* The debugger leaves. */
	sim_text[H_AT + H_LOAD] = first;
	assert_int_equal(kp_core_stop(), 0);
	assert_true(is_original());
}

/* ---- hits ---------------------------------------------------------------------------------- */

static struct pt_regs seen;
static int seen_nr, seen_post;

static int pre_sees(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	seen = *regs;
	seen_nr++;
	return 0;
}

static int pre_takes(struct kprobe *p, struct pt_regs *regs)
{
	pre_sees(p, regs);
	regs->pc = 0x4444;
	regs->sp = 0x8888;
	regs->r[0] = 0x1111;
	return 1;
}

static void post_sees(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	(void)p;
	(void)flags;
	seen = *regs;
	seen_post++;
}

static void K_OPT_18_43_to_47_what_a_handler_sees_and_does(void **state)
{
	struct kprobe old = at(H_LOAD), young = at(H_LOAD);
	struct pt_regs regs = { .sp = 0x7777, .r[0] = 5 };

	(void)state;
	seen_nr = 0;
	old.pre_handler = pre_sees;
	young.pre_handler = pre_takes;
	assert_int_equal(register_kprobe(&old), 0);
	assert_int_equal(register_kprobe(&young), 0);
	/* Queued: on the breakpoint, and as there. */
	assert_true(unit_hit(h + H_LOAD, &regs));
	assert_int_equal(regs.pc, 0x4444);
	assert_int_equal(seen_nr, 1);
	kp_core_flush();
	regs = (struct pt_regs){ .sp = 0x7777, .r[0] = 5 };
	assert_int_equal(jump_hit(H_LOAD, &regs), 1);
	assert_int_equal(regs.pc, 0x4444);
	assert_int_equal(regs.sp, 0x8888);
	assert_int_equal(regs.r[0], 0x1111);
	assert_int_equal(seen.pc, h + H_LOAD + 1);
	assert_int_equal(seen.sp, 0x7777);
	assert_int_equal(seen.r[0], 5);
	assert_int_equal(seen_nr, 2);
	unregister_kprobe(&young);
	assert_int_equal(jump_hit(H_LOAD, &regs), 0);
	assert_int_equal(seen_nr, 3);
	unregister_kprobe(&old);
}

static void K_OPT_30_31_a_post_handler(void **state)
{
	struct kprobe p = at(H_LOAD);
	struct pt_regs regs = { 0 };

	(void)state;
	seen_nr = seen_post = 0;
	p.pre_handler = pre_sees;
	p.post_handler = post_sees;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(is_jump(H_LOAD));
	assert_int_equal(jump_hit(H_LOAD, &regs), 1);
	assert_int_equal(kp_slot_site(regs.pc) == site_at(H_LOAD), 1);
	unit_post(&p, &regs);
	assert_int_equal(regs.pc, h + H_SUM);
	assert_int_equal(seen.pc, h + H_SUM);
	assert_int_equal(seen_nr, 1);
	assert_int_equal(seen_post, 1);
	unregister_kprobe(&p);
}

/* A worker's run costs the same few synchronisations, however many it does. */
static void K_OPT_42_61_many_at_once(void **state)
{
	static const uint8_t one[] = { TOY_add(0, 0, 1) };
	static uint8_t code[200 * sizeof(one)];
	static struct kprobe probes[200];
	size_t i, jumps = 0, syncs;

	(void)state;
	for (i = 0; i < sizeof(code); i++)
		code[i] = one[i % sizeof(one)];
	sim_function("many", 0x800, code, sizeof(code));
	for (i = 0; i < 200; i++) {
		probes[i] = (struct kprobe){ .symbol_name = "many",
					     .offset = (unsigned int)(i * sizeof(one)) };
		assert_int_equal(register_kprobe(&probes[i]), 0);
	}
	syncs = sim_counts.syncs;
	sim_run_deferred();
	assert_int_equal(sim_counts.syncs - syncs, 2);
	for (i = 0; i < 200; i++)
		jumps += sim_text[0x800 + i * sizeof(one)] == TOY_JUMP;
	assert_int_equal(jumps, 200);
	syncs = sim_counts.syncs;
	for (i = 0; i < 200; i++)
		unregister_kprobe(&probes[i]);
	assert_int_equal(sim_counts.syncs, syncs);
	sim_run_deferred();
	sim_run_deferred();
	assert_int_equal(sim_counts.syncs - syncs, 3);
	assert_memory_equal(sim_text + 0x800, code, sizeof(code));
}

/* ---- neighbours ----------------------------------------------------------------------------- */

static void K_OPT_30_32_33_34_49_50_55_a_probe_in_the_span(void **state)
{
	struct kprobe outer = at(H_PUSH), inner = at(H_MOVE);

	(void)state;
	assert_int_equal(register_kprobe(&outer), 0);
	sim_run_deferred();
	assert_true(is_jump(H_PUSH));
	inner.flags = KPROBE_FLAG_DISABLED;
	assert_int_equal(register_kprobe(&inner), 0);
	sim_run_deferred();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(enable_kprobe(&inner), 0);
	assert_true(is_breakpoint(H_PUSH) && is_breakpoint(H_MOVE));
	assert_false(listed("h+0x0", "[OPTIMIZED]"));
	assert_true(listed("h+0x0", ""));
	sim_run_deferred();
	assert_true(is_breakpoint(H_PUSH) && is_jump(H_MOVE));
	assert_true(listed("h+0x1", "[OPTIMIZED]"));
	assert_int_equal(disable_kprobe(&inner), 0);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(enable_kprobe(&inner), 0);
	kp_core_flush();
	unregister_kprobe(&inner);
	/* Its jump waits for the worker, and with it the outer one. */
	sim_run_deferred();
	sim_run_deferred();
	assert_true(is_jump(H_PUSH));
	unregister_kprobe(&outer);
}

static void K_OPT_33_what_was_in_the_way_goes(void **state)
{
	struct kprobe outer = at(H_PUSH), inner = at(H_MOVE);

	(void)state;
	assert_int_equal(register_kprobe(&inner), 0);
	assert_int_equal(register_kprobe(&outer), 0);
	sim_run_deferred();
	assert_true(is_breakpoint(H_PUSH));
	assert_string_equal(outer.reason, "another probe is under the jump");
	kp_core_set_optimization(false);
	unregister_kprobe(&inner);
	kp_core_set_optimization(true);
	sim_run_deferred();
	assert_true(is_jump(H_PUSH));
	assert_null(outer.reason);
	unregister_kprobe(&outer);
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	return 0;
}

static void K_OPT_35_36_several_kinds(void **state)
{
	struct kretprobe rp = { .kp = { .symbol_name = "h" },
				.handler = on_return };
	struct kprobe p = at(H_PUSH), q = at(H_PUSH);
	char *line;
	int tags = 0;

	(void)state;
	assert_int_equal(register_kretprobe(&rp), 0);
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(register_kprobe(&q), 0);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_true(listed("h+0x0", "[OPTIMIZED]"));
	for (line = jumps_out; (line = strstr(line, "[OPTIMIZED]")); line++)
		tags++;
	assert_int_equal(tags, 3);
	assert_non_null(strstr(jumps_out, "  r  h+0x0"));
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	unregister_kretprobe(&rp);
}

static void K_OPT_56_the_original_is_decoded(void **state)
{
	struct kprobe p = at(H_PUSH), q = at(H_ADD), wrong = at(H_ADD + 1);
	uint8_t bytes[sizeof(h_bytes)];

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_true(is_jump(H_PUSH));
	assert_int_equal(kp_unpatched_read(bytes, h, sizeof(bytes)), 0);
	assert_memory_equal(bytes, h_bytes, sizeof(bytes));
	assert_int_equal(kp_unpatched_read(bytes, h + 2, 3), 0);
	assert_memory_equal(bytes, h_bytes + 2, 3);
	assert_int_equal(register_kprobe(&wrong), -EILSEQ);
	assert_int_equal(register_kprobe(&q), 0);
	assert_int_equal(q.opcode, h_bytes[H_ADD]);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

static void K_OPT_64_a_breakpoint_is_one_byte(void **state)
{
	struct kprobe p = at(H_LOAD);

	(void)state;
	kp_core_set_optimization(false);
	sim_counts.writes = sim_counts.syncs = 0;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(sim_counts.writes, 1);
	assert_int_equal(sim_counts.syncs, 1);
	assert_true(is_breakpoint(H_LOAD));
	unregister_kprobe(&p);
	assert_int_equal(sim_counts.writes, 2);
	assert_int_equal(sim_counts.syncs, 2);
}

/* ---- the knob ---------------------------------------------------------------------------------- */

static void K_KNB_54_55_56_on_and_off(void **state)
{
	struct kprobe p = at(H_LOAD), q = at(H_SUM);
	size_t logs;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	assert_int_equal(kp_core_set_optimization(false), 0);
	assert_string_equal(sim_last_log, "kprobes: kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.");
	assert_true(is_breakpoint(H_LOAD));
	assert_true(listed("h+0x7", ""));
	assert_int_equal(register_kprobe(&q), 0);
	kp_core_flush();
	assert_true(is_breakpoint(H_SUM));
	logs = sim_counts.logs;
	assert_int_equal(kp_core_set_optimization(false), 0);
	assert_int_equal(sim_counts.logs, logs);
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_string_equal(sim_last_log, "kprobes: kprobe jump-optimization is enabled. All kprobes are optimized if possible.");
	assert_true(listed("h+0x7", "[OPTIMIZED]") &&
		    listed("h+0xb", "[OPTIMIZED]"));
	assert_true(is_breakpoint(H_LOAD));
	sim_run_deferred();
	assert_true(is_jump(H_LOAD) && is_jump(H_SUM));
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_int_equal(sim_counts.logs, logs + 1);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OPT(K_OPT_02_40_41_42_queued_then_a_jump),
		OPT(K_OPT_51_disabled_keeps_the_jump_for_a_while),
		OPT(K_OPT_60_61_every_instruction),
		OPT(K_OPT_01_03_12_13_17_one_jump),
		OPT(K_OPT_04_05_the_function_ends),
		OPT(K_OPT_06_07_what_is_elsewhere),
		OPT(K_OPT_08_a_fixup_under_the_jump),
		OPT(K_OPT_09_10_11_63_getting_under_the_jump),
		OPT(K_OPT_14_15_16_what_others_patch),
		OPT(K_OPT_16_a_foreign_breakpoint),
		OPT(a_foreign_breakpoint_on_a_jump),
		OPT(K_OPT_18_43_to_47_what_a_handler_sees_and_does),
		OPT(K_OPT_30_31_a_post_handler),
		OPT(K_OPT_42_61_many_at_once),
		OPT(K_OPT_30_32_33_34_49_50_55_a_probe_in_the_span),
		OPT(K_OPT_33_what_was_in_the_way_goes),
		OPT(K_OPT_35_36_several_kinds),
		OPT(K_OPT_56_the_original_is_decoded),
		OPT(K_OPT_64_a_breakpoint_is_one_byte),
		OPT(K_KNB_54_55_56_on_and_off),
	};

	return cmocka_run_group_tests_name("optimize", tests, NULL, NULL);
}
