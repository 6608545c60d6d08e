/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_failures.c - every duty of the host fails once, at every call.
 *
 * After each failure the errno is clean, the text is untouched, nothing leaks,
 * and the same registration then succeeds.
 *
 * Covers: core/breakpoint.c, core/hub.c, core/engine.c; what each undoes when a duty of
 *   the host fails
 */
#include "unit.h"

static void script_at(char *script, int at)
{
	memset(script, 'a', (size_t)at);
	script[at] = 'f';
	script[at + 1] = 0;
}

/* Register three probes in a batch with the at-th call of duty failing. */
static int attempt(enum sim_duty duty, int at)
{
	struct kprobe a = { .symbol_name = "f" };
	struct kprobe b = { .symbol_name = "f", .offset = F_ADD };
	struct kprobe c = { .symbol_name = "g" };
	struct kprobe *batch[] = { &a, &b, &c };
	char script[32];
	int err;

	script_at(script, at);
	sim_script(duty, script);
	err = register_kprobes(batch, 3);
	sim_script(duty, NULL);
	if (err) {
		assert_memory_equal(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
		assert_memory_equal(sim_text + G_AT, unit_g_bytes, sizeof(unit_g_bytes));
		assert_int_equal(disable_kprobe(&a), -EINVAL);
		a.addr = b.addr = c.addr = NULL;
		a.flags = b.flags = c.flags = 0;
		assert_int_equal(register_kprobes(batch, 3), 0);
	}
	unregister_kprobes(batch, 3);
	return err;
}

static void each_call_fails_once(enum sim_duty duty, int expected, int calls)
{
	int at, failures = 0;

	for (at = 0; at < calls; at++) {
		void *none = NULL;
		int err;

		assert_int_equal(unit_setup(&none), 0);
		err = attempt(duty, at);
		assert_true(!err || err == expected);
		failures += err != 0;
		assert_int_equal(unit_teardown(&none), 0);
	}
	assert_true(failures > 0);
}

static void K_REG_42_allocation(void **state)
{
	(void)state;
	each_call_fails_once(SIM_ALLOC, -ENOMEM, 12);
}

static void K_REG_42_no_slot(void **state)
{
	(void)state;
	each_call_fails_once(SIM_EXEC_ALLOC, -ENOMEM, 2);
}

static void slot_write(void **state)
{
	(void)state;
	each_call_fails_once(SIM_EXEC_WRITE, -EIO, 4);
}

static void slot_commit(void **state)
{
	(void)state;
	each_call_fails_once(SIM_EXEC_COMMIT, -EIO, 2);
}

static void slot_bind(void **state)
{
	(void)state;
	each_call_fails_once(SIM_BIND, -ENOMEM, 4);
}

static void text_write(void **state)
{
	(void)state;
	each_call_fails_once(SIM_TEXT_WRITE, -EIO, 4);
}

static void K_EN_09_enable_that_cannot_arm(void **state)
{
	struct kprobe p = { .symbol_name = "f", .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_script(SIM_TEXT_WRITE, "f");
	assert_int_equal(enable_kprobe(&p), -EIO);
	assert_true(kprobe_disabled(&p));
	assert_int_equal(enable_kprobe(&p), 0);
	unregister_kprobe(&p);
}

static void text_changed_before_arming(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_MOVE,
			    .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_text[F_AT + F_MOVE + 1] = TOY_XY(6, 7);
	assert_int_equal(enable_kprobe(&p), -EBUSY);
	assert_int_equal(sim_text[F_AT + F_MOVE], unit_f_bytes[F_MOVE]);
	sim_text[F_AT + F_MOVE + 1] = unit_f_bytes[F_MOVE + 1];
	assert_int_equal(enable_kprobe(&p), 0);
	unregister_kprobe(&p);
}

/* Who stops the engine keeps it, and asks again, until the text is restored. */
static void stop_that_cannot_write(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_MOVE };
	struct pt_regs regs = { 0 };
	size_t logs;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	sim_script(SIM_TEXT_WRITE, "ff");
	assert_int_equal(kp_core_stop(), -EBUSY);
	logs = sim_counts.logs;
	assert_int_equal(logs, 1);
	assert_non_null(strstr(sim_last_log, "cannot be restored yet"));
	assert_int_equal(sim_text[F_AT + F_MOVE], TOY_BREAK);
	assert_true(unit_hit(unit_f + F_MOVE, &regs));
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_int_equal(sim_counts.logs, logs);
	assert_int_equal(kp_core_stop(), 0);
	assert_memory_equal(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	assert_int_equal(sim_counts.allocs, 0);
}

static void count_region(void *arg, uintptr_t base, size_t len)
{
	(void)base;
	(void)len;
	++*(int *)arg;
}

/* Where no memory is near, each place asks once: what is beside it is as far away. */
static void K_XI_42_far_memory_is_shared(void **state)
{
	struct kprobe a = { .symbol_name = "f" };
	struct kprobe b = { .symbol_name = "f", .offset = F_ADD };
	struct kprobe c = { .symbol_name = "g" };
	int regions = 0;

	(void)state;
	sim_exec_far = true;
	assert_int_equal(register_kprobe(&a), -ENOSPC);
	assert_int_equal(register_kprobe(&b), -ENOSPC);
	assert_int_equal(register_kprobe(&c), -ENOSPC);
	kp_core_slots(count_region, &regions);
	assert_int_equal(regions, 2);	/* of the two lengths of slots */
}

/* What was in the way may go: it is asked again, ever less often. */
static void K_XI_42_near_memory_comes(void **state)
{
	struct kprobe p[10] = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 10; i++) {
		p[i].symbol_name = "f";
		sim_exec_far = i < 5;
		if (!register_kprobe(&p[i]))
			break;
	}
	assert_in_range(i, 5, 9);
	unregister_kprobe(&p[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(K_REG_42_allocation),
		cmocka_unit_test(K_REG_42_no_slot),
		cmocka_unit_test(slot_write),
		cmocka_unit_test(slot_commit),
		cmocka_unit_test(slot_bind),
		cmocka_unit_test(text_write),
		UNIT(K_EN_09_enable_that_cannot_arm),
		UNIT(text_changed_before_arming),
		UNIT(stop_that_cannot_write),
		UNIT(K_XI_42_far_memory_is_shared),
		UNIT(K_XI_42_near_memory_comes),
	};

	return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
