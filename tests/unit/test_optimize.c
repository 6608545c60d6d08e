/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_optimize.c - from breakpoints to jumps and back.
 *
 * After every single write of text the probed functions hold old bytes, an
 * armed breakpoint or a whole jump, and whatever a core can meet meanwhile is
 * somebody's: that is checked in each test.
 */
#include "jumps.h"

/* ---- tests -------------------------------------------------------------------------- */

static void K_OPT_02_40_41_42_queued_then_a_jump(void **state)
{
	struct kprobe p = at(H_MOV);
	size_t syncs;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(is_breakpoint(H_MOV));
	assert_true(listed("h+0x8", "[OPTIMIZED]"));
	assert_int_equal(sim_counts.defers, 1);
	syncs = sim_counts.syncs;
	sim_run_deferred();
	assert_true(is_jump(H_MOV));
	assert_int_equal(sim_counts.syncs - syncs, 2);
	assert_true(listed("h+0x8", "[OPTIMIZED]"));
	assert_null(p.reason);
	unregister_kprobe(&p);
}

static void K_OPT_51_disabled_keeps_the_jump_for_a_while(void **state)
{
	struct kprobe p = at(H_MOV);

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_run_deferred();
	assert_int_equal(disable_kprobe(&p), 0);
	assert_true(is_jump(H_MOV));
	assert_true(listed("h+0x8", "[DISABLED][OPTIMIZED]"));
	sim_script(SIM_DEFER, "aa");
	sim_run_deferred();
	sim_run_deferred();
	assert_true(is_original());
	assert_true(listed("h+0x8", "[DISABLED]"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		OPT(K_OPT_02_40_41_42_queued_then_a_jump),
		OPT(K_OPT_51_disabled_keeps_the_jump_for_a_while),
		OPT(K_OPT_60_61_every_instruction),
	};

	return cmocka_run_group_tests_name("optimize", tests, NULL, NULL);
}
