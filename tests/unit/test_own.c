/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_own.c - probes of the host's own.
 *
 * Covers: core/own.c, core/refusal.c
 */
#include <stdio.h>

#include "unit.h"

static char trace[32], out[1024];

static void note(const char *what)
{
	strncat(trace, what, sizeof(trace) - strlen(trace) - 1);
}

static int user_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	note("u");
	return 0;
}

static void user_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	note("o");
}

/* As the host's does: the call goes elsewhere. */
static int lead(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	note("h");
	regs->pc = unit_g;
	return 1;
}

static void entry(void)
{
	note("j");
	jprobe_return();
}

static int watch(struct kprobe *p, uintptr_t addr)
{
	int err;

	kp_host_lock(KP_LOCK_REGISTRY);
	err = kp_core_own_register(p, addr);
	kp_host_unlock(KP_LOCK_REGISTRY);
	return err;
}

static void unwatch(struct kprobe *p)
{
	kp_host_lock(KP_LOCK_REGISTRY);
	kp_core_own_unregister(p);
	kp_host_unlock(KP_LOCK_REGISTRY);
}

static void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	(void)len;
	strncat(out, line, sizeof(out) - strlen(out) - 1);
}

static const char *list(void)
{
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	return out;
}

static void hit(struct pt_regs *regs)
{
	static unsigned long stack[512];

	trace[0] = 0;
	regs->sp = (uintptr_t)(stack + 32);
	assert_true(unit_hit(unit_f + F_ENTRY, regs));
}

static void comes_and_goes(void **state)
{
	struct kprobe own = { .pre_handler = lead };
	struct pt_regs regs = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(watch(&own, unit_f), 0);
		/* It is there already. */
		assert_int_equal(watch(&own, unit_f), 0);
		hit(&regs);
		assert_string_equal(trace, "h");
		assert_int_equal(regs.pc, unit_g);
		unwatch(&own);
		unwatch(&own);
		assert_memory_equal((void *)unit_f, unit_f_bytes,
				    sizeof(unit_f_bytes));
	}
	/* The engine may stop before or after. */
	assert_int_equal(watch(&own, unit_f), 0);
}

static void is_the_last(void **state)
{
	struct kprobe own = { .pre_handler = lead };
	struct kprobe early = { .symbol_name = "f", .pre_handler = user_pre };
	struct kprobe late = { .symbol_name = "f", .pre_handler = user_pre,
			       .post_handler = user_post };
	struct jprobe jp = { .kp.symbol_name = "f", .entry = (void *)entry };
	struct pt_regs regs = { 0 };

	(void)state;
	sim_symbol("entry", (uintptr_t)entry, 8);
	assert_int_equal(register_kprobe(&early), 0);
	assert_int_equal(watch(&own, unit_f), 0);
	assert_int_equal(kp_core_own_past(&own), (uintptr_t)own.ainsn.insn);
	assert_int_equal(register_kprobe(&late), 0);
	hit(&regs);
	assert_string_equal(trace, "uuh");
	/* From there, with the post_handler. */
	assert_int_not_equal(kp_core_own_past(&own), (uintptr_t)own.ainsn.insn);
	unit_post(&own, &regs);
	assert_string_equal(trace, "uuho");
	unregister_kprobe(&late);
	assert_int_equal(kp_core_own_past(&own), (uintptr_t)own.ainsn.insn);
	assert_int_equal(register_jprobe(&jp), 0);
	hit(&regs);
	assert_string_equal(trace, "ujh");
	unregister_jprobe(&jp);
	hit(&regs);
	assert_string_equal(trace, "uh");
	unregister_kprobe(&early);
	hit(&regs);
	assert_string_equal(trace, "h");
	unwatch(&own);
}

static void is_not_seen(void **state)
{
	struct kprobe own = { .pre_handler = lead };
	struct kprobe user = { .symbol_name = "f", .pre_handler = user_pre };
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(watch(&own, unit_f), 0);
	assert_string_equal(list(), "");
	assert_int_equal(kp_core_control("disable f", 9), -ENOENT);
	hit(&regs);
	assert_string_equal(trace, "h");
	assert_int_equal(register_kprobe(&user), 0);
	assert_non_null(strstr(list(), "  k  f+0x4"));
	assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
	/* The user's alone. */
	assert_int_equal(kp_core_control("disable f", 9), 0);
	hit(&regs);
	assert_string_equal(trace, "h");
	unregister_kprobe(&user);
	unwatch(&own);
}

/* What is emulated has no copy to be called. */
static void is_refused(void **state)
{
	struct kprobe own = { .pre_handler = lead };

	(void)state;
	assert_int_equal(watch(&own, unit_g), -EOPNOTSUPP);
	assert_non_null(own.reason);
	assert_int_not_equal(watch(&own, (uintptr_t)sim_data), 0);
	assert_null(kp_core_take_refusal());
	assert_string_equal(list(), "");
}

/* Its text goes; then there may be other text. */
static void text_goes(void **state)
{
	struct kprobe own = { .pre_handler = lead };
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(watch(&own, unit_f), 0);
	kp_core_on_text_gone(unit_f, 64);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	assert_string_equal(list(), "");
	unwatch(&own);
	assert_int_equal(watch(&own, unit_f), 0);
	hit(&regs);
	assert_string_equal(trace, "h");
	unwatch(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(comes_and_goes),
		UNIT(is_the_last),
		UNIT(is_not_seen),
		UNIT(is_refused),
		UNIT(text_goes),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
