/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_orphans.c - whoever has registered a probe goes without unregistering it: of every
 * type, with its struct, with its handlers, in every state.
 *
 * Covers: core/orphans.c
 */
#include <stdio.h>
#include <sys/mman.h>
#include "unit.h"

#include <kprobes/watch.h>

#define CALLER ((uintptr_t)0x12345678)

static int pres, posts, returns, entries, accesses;
static uintptr_t stack[64];

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	pres++;
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	posts++;
}

static int others(struct kprobe *p, struct pt_regs *regs)
{
	return on_pre(p, regs);
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	(void)p;
	(void)regs;
	(void)trapnr;
	return 0;
}

static int on_break(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	entries++;
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	returns++;
	return 0;
}

static void on_jprobe(unsigned long a)
{
	(void)a;
	pres++;
	jprobe_return();
}

static void on_access(struct wprobe *wp, struct pt_regs *regs, const struct kp_access *access)
{
	(void)wp;
	(void)regs;
	(void)access;
	accesses++;
}

static int setup(void **state)
{
	pres = posts = returns = entries = accesses = 0;
	return unit_setup(state);
}

static char out[1024];

static void emit(void *arg, const char *line, size_t len)
{
	(void)arg;
	strncat(out, line, len);
}

static const char *list(void)
{
	out[0] = 0;
	kp_core_report_list(emit, NULL, true);
	return out;
}

static void goes(const void *what, size_t len)
{
	kp_core_on_owner_gone("consumer", (uintptr_t)what, len);
}

static void hit(uintptr_t at)
{
	struct pt_regs regs = { .sp = (uintptr_t)&stack[32] };

	stack[32] = CALLER;
	assert_true(unit_hit(at, &regs));
}

/* Nothing of it is left, and its owner may still say that it is to go, or come anew. */
static void is_gone(void)
{
	assert_string_equal(list(), "");
	assert_memory_equal(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
}

static void K_UNR_02_the_struct_goes(void **state)
{
	struct kprobe p = { .symbol_name = "f", .pre_handler = on_pre };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	/* What is beside it does not matter. */
	kp_core_on_owner_gone("consumer", (uintptr_t)&p - 64, 64);
	kp_core_on_owner_gone("consumer", (uintptr_t)(&p + 1), 64);
	assert_string_not_equal(list(), "");
	hit(unit_f + F_ENTRY);
	assert_int_equal(pres, 1);
	goes((char *)&p + 8, 1);
	is_gone();
	unregister_kprobe(&p);
}

/* It is in nobody's memory that goes, as on a heap: it can be used again. */
static void K_UNR_02_a_handler_goes(void **state)
{
	struct kprobe p[5] = {
		{ .pre_handler = on_pre },
		{ .pre_handler = others, .post_handler = on_post },
		{ .pre_handler = others, .fault_handler = on_fault },
		{ .pre_handler = others, .break_handler = on_break },
		{ .pre_handler = others, .filter = on_pre },
	};
	const void *handlers[5] = {
		(void *)on_pre, (void *)on_post, (void *)on_fault, (void *)on_break, (void *)on_pre
	};
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		p[i].symbol_name = "f";
		assert_int_equal(register_kprobe(&p[i]), 0);
		goes(handlers[i], 1);
		is_gone();
		assert_true(p[i].flags & KPROBE_FLAG_DISABLED);
		assert_non_null(p[i].reason);
		assert_int_equal(enable_kprobe(&p[i]), -EINVAL);
		unregister_kprobe(&p[i]);
		p[i].flags = 0;
		assert_int_equal(register_kprobe(&p[i]), 0);
		unregister_kprobe(&p[i]);
	}
}

static void K_UNR_10_the_others_stay(void **state)
{
	struct kprobe mine = { .symbol_name = "f", .pre_handler = on_pre, .post_handler = on_post };
	struct kprobe theirs = { .symbol_name = "f", .pre_handler = others };
	struct kprobe off = { .symbol_name = "f", .pre_handler = on_pre,
			      .flags = KPROBE_FLAG_DISABLED };

	(void)state;
	assert_int_equal(register_kprobe(&mine), 0);
	assert_int_equal(register_kprobe(&theirs), 0);
	assert_int_equal(register_kprobe(&off), 0);
	goes((void *)on_pre, 1);
	hit(unit_f + F_ENTRY);
	assert_int_equal(pres, 1);
	assert_int_equal(posts, 0);
	assert_int_equal(disable_kprobe(&theirs), 0);
	assert_int_equal(enable_kprobe(&off), -EINVAL);
	unregister_kprobe(&theirs);
	is_gone();
}

static void K_UNR_13_with_a_jump(void **state)
{
	struct kprobe p = { .symbol_name = "f", .pre_handler = on_pre };

	(void)state;
	assert_int_equal(kp_core_set_optimization(true), 0);
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_flush();
	goes(&p, sizeof(p));
	kp_core_flush();
	is_gone();
}

/* Its text is gone already. */
static void K_MOD_02_gone_before(void **state)
{
	struct kprobe p = { .symbol_name = "f", .pre_handler = on_pre };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	kp_core_on_text_gone(unit_f, 64);
	memcpy(sim_text + F_AT, unit_f_bytes, sizeof(unit_f_bytes));
	assert_string_not_equal(list(), "");
	goes(&p, sizeof(p));
	is_gone();
}

/* A call is out. */
static void K_RET_61_a_return_probe(void **state)
{
	struct kretprobe p = { .kp.symbol_name = "f", .handler = on_return,
			       .entry_handler = on_entry, .maxactive = 2 };
	const void *parts[] = { &p, (void *)on_return, (void *)on_entry };
	struct pt_regs regs = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		p.kp.addr = NULL;
		p.kp.flags = 0;
		assert_int_equal(register_kretprobe(&p), 0);
		hit(unit_f + F_ENTRY);
		assert_int_equal(entries, i + 1);
		assert_int_not_equal(stack[32], CALLER);
		goes(parts[i], 1);
		is_gone();
		regs.pc = stack[32];
		regs.sp = (uintptr_t)&stack[33];
		sim_return(&regs);
		assert_int_equal(regs.pc, CALLER);
		assert_int_equal(returns, 0);
		unregister_kretprobe(&p);
	}
}

static void K_JP_13_a_jprobe(void **state)
{
	struct jprobe p = { .kp.symbol_name = "f", .entry = on_jprobe };

	(void)state;
	sim_symbol("on_jprobe", (uintptr_t)on_jprobe, 8);
	assert_int_equal(register_jprobe(&p), 0);
	goes((void *)on_jprobe, 1);
	is_gone();
	unregister_jprobe(&p);
	p.kp.flags = 0;
	assert_int_equal(register_jprobe(&p), 0);
	goes(&p, sizeof(p));
	is_gone();
}

static void K_WAT_24_a_watch_probe(void **state)
{
	struct wprobe p = { .kp.addr = (kprobe_opcode_t *)sim_data, .handler = on_access,
			    .type = KP_WATCH_WRITE, .len = 8 };
	struct wprobe theirs = p;
	struct pt_regs regs = { 0 };

	(void)state;
	sim_symbol("on_access", (uintptr_t)on_access, 8);
	assert_int_equal(register_wprobe(&p), 0);
	assert_int_equal(register_wprobe(&theirs), 0);
	goes(&p, sizeof(p));
	assert_true(sim_access((uintptr_t)sim_data, 8, true, &regs));
	assert_int_equal(accesses, 1);
	goes((void *)on_access, 1);
	assert_int_equal(sim_watched(), 0);
	is_gone();
}

/* It is unmapped by the time that we are told, as where a process unloads. */
static void K_UNR_02_gone_for_good(void **state)
{
	size_t len = 16384;
	struct {
		struct kprobe a, b;
		struct kretprobe r;
		struct jprobe j;
	} *there = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kprobe theirs = { .symbol_name = "f", .pre_handler = others };

	(void)state;
	assert_ptr_not_equal(there, MAP_FAILED);
	sim_symbol("on_jprobe", (uintptr_t)on_jprobe, 8);
	there->a = there->b = (struct kprobe){ .symbol_name = "f", .pre_handler = on_pre };
	there->b.post_handler = on_post;
	there->r = (struct kretprobe){ .kp.symbol_name = "f", .handler = on_return };
	there->j = (struct jprobe){ .kp.symbol_name = "f", .entry = on_jprobe };
	assert_int_equal(register_kprobe(&there->a), 0);
	assert_int_equal(register_kprobe(&theirs), 0);
	assert_int_equal(register_kprobe(&there->b), 0);
	assert_int_equal(register_kretprobe(&there->r), 0);
	assert_int_equal(register_jprobe(&there->j), 0);
	munmap(there, len);
	goes(there, len);
	hit(unit_f + F_ENTRY);
	assert_int_equal(pres, 1);
	assert_int_equal(posts, 0);
	unregister_kprobe(&theirs);
	is_gone();
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, unit_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(K_UNR_02_the_struct_goes),
		TEST(K_UNR_02_a_handler_goes),
		TEST(K_UNR_10_the_others_stay),
		TEST(K_UNR_13_with_a_jump),
		TEST(K_MOD_02_gone_before),
		TEST(K_RET_61_a_return_probe),
		TEST(K_JP_13_a_jprobe),
		TEST(K_WAT_24_a_watch_probe),
		TEST(K_UNR_02_gone_for_good),
	};

	return cmocka_run_group_tests_name("orphans", tests, NULL, NULL);
}
