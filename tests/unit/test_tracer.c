/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_tracer.c - probes where the host calls: the rules of ftrace sites, and a
 * switch that not every probe can follow.
 *
 * Covers: core/tracer.c, core/switch.c, core/engine.c
 */
#include "unit.h"
#include "table.h"

/* An instruction of the tracer, then a function. */
static const uint8_t traced_bytes[] = {
	TOY_wide_nop, TOY_add(0, 0, 1), TOY_RETURN,
};
#define H_AT 0x300
#define K_AT 0x380
#define traced_h ((uintptr_t)sim_text + H_AT)
#define traced_k ((uintptr_t)sim_text + K_AT)

static int tracer_setup(void **state)
{
	int err = unit_setup(state);

	sim_function("h", H_AT, traced_bytes, sizeof(traced_bytes));
	sim_function("k", K_AT, traced_bytes, sizeof(traced_bytes));
	sim_tracer_region(traced_h);
	sim_tracer_region(traced_k);
	return err;
}

static int tracer_teardown(void **state)
{
	if (memcmp(sim_text + H_AT, traced_bytes, sizeof(traced_bytes)) ||
	    memcmp(sim_text + K_AT, traced_bytes, sizeof(traced_bytes)))
		return -1;
	return unit_teardown(state);
}

#define TRACER(test) \
	cmocka_unit_test_setup_teardown(test, tracer_setup, tracer_teardown)

/* ---- handlers -------------------------------------------------------------- */

static int pre_nr, post_nr;
static unsigned long pre_ip, post_ip, redirect;
static bool skip;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	pre_nr++;
	pre_ip = regs->pc;
	if (redirect)
		regs->pc = redirect;
	return skip;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)flags;
	post_nr++;
	post_ip = regs->pc;
}

static unsigned long call(uintptr_t at)
{
	struct pt_regs regs = { 0 };

	pre_nr = post_nr = 0;
	pre_ip = post_ip = 0;
	sim_tracer_call(at, &regs);
	return regs.pc;
}

static char list[1024];

static void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	strncat(list, line, len);
}

static const char *read_list(void)
{
	list[0] = 0;
	kp_core_report_list(emit, NULL, true);
	return list;
}

/* ---- rules ----------------------------------------------------------------- */

static void K_FTR_01_02_the_site(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = on_pre };
	struct kprobe next = { .symbol_name = "h", .offset = SIM_TRACER_LEN,
			       .pre_handler = on_pre };
	unsigned int off;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(kprobe_ftrace(&p));
	assert_true(!p.ainsn.insn && !p.opcode);
	assert_int_equal(sim_text[H_AT], TOY_CALL);
	assert_true(strstr(read_list(), "  k  h+0x0    [FTRACE]\n") != NULL);
	assert_int_equal(call(traced_h), traced_h + SIM_TRACER_LEN);
	assert_int_equal(pre_nr, 1);
	for (off = 1; off < SIM_TRACER_LEN; off++) {
		struct kprobe inner = { .symbol_name = "h", .offset = off };

		assert_int_equal(register_kprobe(&inner), -EILSEQ);
	}
	assert_int_equal(register_kprobe(&next), 0);
	assert_false(kprobe_ftrace(&next));
	assert_int_equal(sim_text[H_AT + SIM_TRACER_LEN], TOY_BREAK);
	unregister_kprobe(&next);
	assert_int_equal(disable_kprobe(&p), 0);
	assert_int_equal(sim_traced(traced_h), 0);
	assert_true(strstr(read_list(), "[DISABLED][FTRACE]\n") != NULL);
	unregister_kprobe(&p);
}

static void K_FTR_03_04_addresses(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = on_pre,
			    .post_handler = on_post };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(call(traced_h), traced_h + SIM_TRACER_LEN);
	assert_int_equal(pre_ip, traced_h + 1);
	assert_int_equal(post_ip, traced_h + SIM_TRACER_LEN);
	redirect = unit_f;
	assert_int_equal(call(traced_h), traced_h + SIM_TRACER_LEN);
	skip = true;
	assert_int_equal(call(traced_h), unit_f);
	assert_int_equal(post_nr, 0);
	redirect = 0;
	assert_int_equal(call(traced_h), traced_h + SIM_TRACER_LEN);
	skip = false;
	unregister_kprobe(&p);
}

/* The right to redirect is refused: the registration is undone. */
static void K_FTR_05_refused(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = on_pre };
	struct kprobe q = { .symbol_name = "h", .post_handler = on_post };
	size_t allocs;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	allocs = sim_counts.allocs;
	sim_script(SIM_TRACER, "f");
	assert_int_equal(register_kprobe(&q), -EBUSY);
	assert_int_equal(sim_counts.allocs, allocs);
	assert_int_equal(disable_kprobe(&q), -EINVAL);
	call(traced_h);
	assert_true(pre_nr == 1 && !post_nr);
	q.addr = NULL;
	q.flags = 0;
	assert_int_equal(register_kprobe(&q), 0);
	call(traced_h);
	assert_true(pre_nr == 1 && post_nr == 1);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	assert_int_equal(sim_traced(traced_h), 0);
}

static int pre_recurses(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs inner = { 0 };

	(void)p;
	(void)regs;
	sim_tracer_call(traced_k, &inner);
	assert_int_equal(inner.pc, traced_k + SIM_TRACER_LEN);
	return 0;
}

static void K_FTR_07_recursion(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = pre_recurses };
	struct kprobe q = { .symbol_name = "k", .pre_handler = on_pre };
	struct kprobe r = { .symbol_name = "k", .pre_handler = on_pre };
	struct kprobe off = { .symbol_name = "k", .pre_handler = on_pre,
			      .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(register_kprobes((struct kprobe *[]){ &p, &q, &r, &off },
					  4), 0);
	call(traced_h);
	assert_true(!pre_nr && q.nmissed == 1 && r.nmissed == 1);
	unregister_kprobes((struct kprobe *[]){ &p, &q, &r, &off }, 4);
}

/* ---- all off and on ---------------------------------------------------------- */

static void K_KNB_25_26_messages(void **state)
{
	size_t logs;

	(void)state;
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_string_equal(sim_last_log, "kprobes: Kprobes globally disabled");
	logs = sim_counts.logs;
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(sim_counts.logs, logs);
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_string_equal(sim_last_log, "kprobes: Kprobes globally enabled");
	logs = sim_counts.logs;
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_int_equal(sim_counts.logs, logs);
	assert_int_equal(logs, 2);
}

/* One of three cannot follow; the others do. */
static void K_KNB_26_27_partly(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = on_pre };
	struct kprobe q = { .symbol_name = "k", .pre_handler = on_pre };
	struct kprobe r = { .symbol_name = "f", .pre_handler = on_pre };
	struct kprobe off = { .symbol_name = "g",
			      .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(register_kprobes((struct kprobe *[]){ &p, &q, &r, &off },
					  4), 0);
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(sim_traced(traced_h) + sim_traced(traced_k), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	sim_script(SIM_TRACER, "f");
	assert_int_equal(kp_core_set_enabled(true), -EBUSY);
	assert_true(kp_core_enabled());
	assert_int_equal(sim_traced(traced_h) + sim_traced(traced_k), 1);
	assert_int_equal(sim_text[F_AT + F_ENTRY], TOY_BREAK);
	assert_true(strstr(sim_logs, "kprobes: 1 out of 3 probed places could not be armed") != NULL);
	/* Off and on once more: all. */
	assert_int_equal(kp_core_set_enabled(false), 0);
	assert_int_equal(kp_core_set_enabled(true), 0);
	assert_int_equal(sim_traced(traced_h) + sim_traced(traced_k), 2);
	/* One that cannot be disarmed is not called all the same. */
	sim_script(SIM_TRACER, "f");
	assert_int_equal(kp_core_set_enabled(false), -EBUSY);
	assert_true(strstr(sim_logs, "kprobes: 1 out of 3 probed places could not be disarmed") != NULL);
	sim_script(SIM_TRACER, "");
	assert_int_equal(kp_core_set_enabled(true), 0);
	unregister_kprobes((struct kprobe *[]){ &p, &q, &r, &off }, 4);
}

/* A traced site goes with its text; its host's call goes before. */
static void K_MOD_01_gone(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = on_pre };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_on_text_gone(traced_h, sizeof(traced_bytes));
	assert_true(kprobe_gone(&p) && !sim_traced(traced_h));
	call(traced_h);
	assert_int_equal(pre_nr, 0);
	assert_int_equal(enable_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
}

/* The tracer keeps one, in the one way or the other. */
static void stop_that_cannot_untrace(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = on_pre };
	struct kprobe q = { .symbol_name = "h", .post_handler = on_post };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(register_kprobe(&q), 0);
	assert_int_equal(sim_traced(traced_h), 2);
	sim_script(SIM_TRACER, "ffaf");
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_int_equal(sim_traced(traced_h), 2);
	assert_int_equal(call(traced_h), traced_h + SIM_TRACER_LEN);
	assert_true(!pre_nr && !post_nr);
	assert_int_equal(kp_core_stop(), -EBUSY);
	assert_int_equal(sim_traced(traced_h), 1);
	assert_int_equal(kp_core_stop(), 0);
	assert_int_equal(sim_traced(traced_h), 0);
}

static uintptr_t frame_seen;

static int sees_frame(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	frame_seen = kp_host_context()->frame;
	return 0;
}

/* One that stored its frame, but not its site. */
static void K_FTR_07_a_frame_of_another_hit(void **state)
{
	struct kprobe p = { .symbol_name = "h", .pre_handler = sees_frame };
	struct kp_context *ctx = kp_host_context();
	struct pt_regs frame;

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	ctx->frame = frame_seen = (uintptr_t)&frame;
	call(traced_h);
	assert_int_equal(frame_seen, 0);
	assert_int_equal(ctx->frame, (uintptr_t)&frame);
	ctx->frame = 0;
	unregister_kprobe(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRACER(K_FTR_01_02_the_site),
		TRACER(K_FTR_03_04_addresses),
		TRACER(K_FTR_05_refused),
		TRACER(K_FTR_07_recursion),
		TRACER(K_FTR_07_a_frame_of_another_hit),
		TRACER(K_KNB_25_26_messages),
		TRACER(K_KNB_26_27_partly),
		TRACER(K_MOD_01_gone),
		TRACER(stop_that_cannot_untrace),
	};

	return cmocka_run_group_tests_name("tracer", tests, NULL, NULL);
}
