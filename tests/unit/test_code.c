/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_code.c - watch probes on code: when memory runs out, when what cannot be probed
 * is part of it, when the instruction is never done, and the end.
 *
 * Covers: core/code_watch.c, core/writes.c
 */
#include "unit.h"

#include <kprobes/control.h>
#include <kprobes/watch.h>

static const uint8_t writer[] = {
	TOY_store(0, 1, 0), TOY_scatter, TOY_PUSH, TOY_store(0, 1, 8),
	TOY_RETURN,
};
#define W_AT 0x300
#define W_SECOND 9

static int calls;
static uintptr_t code_at;
static struct wprobe_code code;

static void on_write(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	(void)access;
	calls++;
}

static struct wprobe make(void)
{
	sim_symbol("on_write", (uintptr_t)on_write, 8);
	code_at = sim_function("writer", W_AT, writer, sizeof(writer));
	memset(sim_data, 0, 256);
	code = (struct wprobe_code){ .symbol_name = "writer" };
	calls = 0;
	return (struct wprobe){
		.kp.addr = (kprobe_opcode_t *)sim_data, .len = 200,
		.handler = on_write, .type = KP_WATCH_WRITE,
		.code = &code, .code_nr = 1,
	};
}

static bool pristine(void)
{
	return !memcmp((const void *)code_at, writer, sizeof(writer));
}

static void K_WAT_37_what_is_not_seen(void **state)
{
	struct wprobe wp = make();

	(void)state;
	assert_int_equal(register_wprobe(&wp), 0);
	assert_int_equal(wp.unseen, 1);
	assert_int_equal(sim_text[W_AT], TOY_BREAK);
	assert_int_equal(sim_text[W_AT + W_SECOND], TOY_BREAK);
	unregister_wprobe(&wp);
	assert_true(pristine());
	/* And what no probe can be on. */
	wp = make();
	sim_region(code_at + W_SECOND, 1, KP_TEXT_RESERVED, "not here");
	assert_int_equal(register_wprobe(&wp), 0);
	assert_int_equal(wp.unseen, 2);
	assert_int_equal(sim_text[W_AT], TOY_BREAK);
	unregister_wprobe(&wp);
	assert_true(pristine());
}

static void K_WAT_38_a_part_of_a_function(void **state)
{
	struct wprobe wp = make();
	struct wprobe_code parts[2] = {
		{ .addr = (const void *)(code_at + W_SECOND) },
		{ .addr = (const void *)(code_at + W_SECOND), .len = 4 },
	};

	(void)state;
	wp.code = parts;
	wp.code_nr = 2;
	assert_int_equal(register_wprobe(&wp), 0);
	assert_int_equal(wp.unseen, 0);
	assert_int_equal(sim_text[W_AT], writer[0]);
	assert_int_equal(sim_text[W_AT + W_SECOND], TOY_BREAK);
	unregister_wprobe(&wp);
	assert_true(pristine());
}

static void no_memory(void **state)
{
	size_t i, before = sim_counts.allocs;
	struct wprobe wp;
	char script[16];

	(void)state;
	for (i = 0; i < sizeof(script) - 1; i++) {
		wp = make();
		memset(script, 'a', i);
		script[i] = 'f';
		script[i + 1] = 0;
		sim_script(SIM_ALLOC, script);
		if (!register_wprobe(&wp))
			break;
		assert_non_null(wp.kp.reason);
		assert_true(pristine());
		kp_core_clear();
	}
	/* One for each: spans, writers, lists, what is watched, children, sites. */
	assert_in_range(i, 8, sizeof(script) - 2);
	kp_core_clear();
	assert_true(sim_counts.allocs >= before);
}

/* The instruction faults: what was noted belongs to nobody, until it comes again. */
static void K_WAT_39_never_done(void **state)
{
	struct wprobe wp = make();
	struct pt_regs regs = { .r[1] = (uintptr_t)sim_data, .sp = 0x7000 };
	int i;

	(void)state;
	assert_int_equal(register_wprobe(&wp), 0);
	for (i = 0; i < 40; i++)
		assert_true(unit_hit(code_at, &regs));
	assert_int_equal(wp.kp.nmissed, 0);
	/* Of more stacks than there is room for, those count that made room. */
	for (i = 0; i < 1000; i++) {
		regs.sp = 0x10000 + 0x100 * (uintptr_t)i;
		assert_true(unit_hit(code_at, &regs));
	}
	assert_in_range(wp.kp.nmissed, 1000 - 512, 999);
	assert_int_equal(calls, 0);
	unregister_wprobe(&wp);
}

static void the_engine_stops(void **state)
{
	struct wprobe wp = make(), other = wp;

	(void)state;
	assert_int_equal(register_wprobe(&wp), 0);
	assert_int_equal(register_wprobe(&other), 0);
	assert_int_equal(kp_core_clear(), 0);
	assert_true(pristine());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(K_WAT_37_what_is_not_seen),
		UNIT(K_WAT_38_a_part_of_a_function),
		UNIT(K_WAT_39_never_done),
		UNIT(no_memory),
		UNIT(the_engine_stops),
	};

	return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
