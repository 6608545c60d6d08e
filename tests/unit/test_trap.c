/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_trap.c - hits: order, register rules, recursion, faults.
 *
 * Covers: core/trap.c, core/hit.c, core/children.c, core/serve.c, core/handler.c
 */
#include "unit.h"

static char trace[64];

static void note(char c)
{
	size_t len = strlen(trace);

	if (len + 1 < sizeof(trace)) {
		trace[len] = c;
		trace[len + 1] = 0;
	}
}

/* A probe with a name in its last fields, found by the handlers. */
struct named {
	struct kprobe kp;
	char name;
	int pre_returns;
	uintptr_t pre_sets_ip;
	uintptr_t saw_ip;
	unsigned long saw_flags;
};

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	struct named *n = (struct named *)p;

	note(n->name);
	n->saw_ip = regs->pc;
	if (n->pre_sets_ip)
		regs->pc = n->pre_sets_ip;
	return n->pre_returns;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct named *n = (struct named *)p;

	note((char)(n->name + 'a' - 'A'));
	n->saw_ip = regs->pc;
	n->saw_flags = flags;
}

static struct named named(char name, const char *symbol, unsigned int offset)
{
	struct named n = { .kp = { .symbol_name = symbol, .offset = offset,
				   .pre_handler = pre, .post_handler = post },
			   .name = name };

	return n;
}

static int setup(void **state)
{
	trace[0] = 0;
	return unit_setup(state);
}

/* The stepped copy ran: a breakpoint there traps. */
static void finish_step(struct kprobe *p, struct pt_regs *regs)
{
	regs->pc = unit_step_end(p, false);
	assert_true(kp_core_on_trap(regs));
}

static bool in_slot(struct kprobe *p, uintptr_t ip)
{
	return ip - (uintptr_t)p->ainsn.insn < KP_ARCH_SLOT_LEN;
}

static void K_HIT_01_04_05_06_step(void **state)
{
	struct named a = named('A', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_int_equal(a.saw_ip, unit_f + F_ADD + 1);
	assert_true(in_slot(&a.kp, regs.pc));
	assert_string_equal(trace, "A");
	finish_step(&a.kp, &regs);
	assert_string_equal(trace, "Aa");
	assert_int_equal(a.saw_ip, unit_f + F_ADD + 4);
	assert_int_equal(regs.pc, unit_f + F_ADD + 4);
	assert_int_equal(a.saw_flags, 0);
	unregister_kprobe(&a.kp);
}

static void K_HIT_05_emulated_jump(void **state)
{
	struct named a = named('A', "g", 0);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_true(unit_hit(unit_g, &regs));
	assert_string_equal(trace, "Aa");
	assert_int_equal(regs.pc, unit_g + 4);
	assert_int_equal(a.saw_ip, unit_g + 4);
	unregister_kprobe(&a.kp);
}

static void K_XI_60_boosted_without_post(void **state)
{
	struct named a = named('A', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	a.kp.post_handler = NULL;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_true(in_slot(&a.kp, regs.pc));
	/* The copy, and the jump back. */
	assert_memory_equal((void *)regs.pc, unit_f_bytes + F_ADD, 4);
	assert_int_equal(((uint8_t *)regs.pc)[4], TOY_JUMP);
	unregister_kprobe(&a.kp);
}

static void K_HIT_10_11_ip_discarded(void **state)
{
	struct named step = named('A', "f", F_ADD), jump = named('B', "g", 0);
	struct pt_regs regs = { 0 };

	(void)state;
	step.pre_sets_ip = jump.pre_sets_ip = unit_f;
	assert_int_equal(register_kprobe(&step.kp), 0);
	assert_int_equal(register_kprobe(&jump.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_true(in_slot(&step.kp, regs.pc));
	assert_true(unit_hit(unit_g, &regs));
	assert_int_equal(regs.pc, unit_g + 4);
	unregister_kprobe(&step.kp);
	unregister_kprobe(&jump.kp);
}

static void K_HIT_12_13_14_taken_over(void **state)
{
	struct named a = named('A', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	a.pre_returns = 5;
	a.pre_sets_ip = unit_g;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_int_equal(regs.pc, unit_g);
	assert_string_equal(trace, "A");
	a.pre_sets_ip = 0;
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_int_equal(regs.pc, unit_f + F_ADD + 1);
	unregister_kprobe(&a.kp);
}

static void K_HIT_15_16_19_20_order(void **state)
{
	struct named a = named('A', "f", F_ADD), b = named('B', "f", F_ADD);
	struct named c = named('C', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_int_equal(register_kprobe(&b.kp), 0);
	assert_int_equal(register_kprobe(&c.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	finish_step(&a.kp, &regs);
	assert_string_equal(trace, "CBAcba");
	trace[0] = 0;
	assert_int_equal(disable_kprobe(&b.kp), 0);
	a.kp.post_handler = NULL;
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	finish_step(&a.kp, &regs);
	assert_string_equal(trace, "CAc");
	unregister_kprobe(&a.kp);
	unregister_kprobe(&b.kp);
	unregister_kprobe(&c.kp);
}

static void K_HIT_17_first_taker_ends_the_pass(void **state)
{
	struct named a = named('A', "f", F_ADD), b = named('B', "f", F_ADD);
	struct named c = named('C', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	b.pre_returns = 1;
	b.pre_sets_ip = unit_g;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_int_equal(register_kprobe(&b.kp), 0);
	assert_int_equal(register_kprobe(&c.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_string_equal(trace, "CB");
	assert_int_equal(regs.pc, unit_g);
	unregister_kprobe(&a.kp);
	unregister_kprobe(&b.kp);
	unregister_kprobe(&c.kp);
}

static void K_HIT_23_post_added_to_boosted(void **state)
{
	struct named a = named('A', "f", F_ADD), b = named('B', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	a.kp.post_handler = NULL;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_int_equal(register_kprobe(&b.kp), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	finish_step(&a.kp, &regs);
	assert_string_equal(trace, "BAb");
	unregister_kprobe(&a.kp);
	unregister_kprobe(&b.kp);
}

static void K_HIT_25_vanished_breakpoint(void **state)
{
	struct named a = named('A', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	unregister_kprobe(&a.kp);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_int_equal(regs.pc, unit_f + F_ADD);
	assert_string_equal(trace, "");
}

static void K_HIT_26_foreign_breakpoint(void **state)
{
	struct pt_regs regs = { 0 };

	(void)state;
	sim_text[0x800] = TOY_BREAK;
	assert_false(unit_hit((uintptr_t)sim_text + 0x800, &regs));
	assert_int_equal(regs.pc, (uintptr_t)sim_text + 0x801);
}

static void a_foreign_breakpoint_on_an_idle_site(void **state)
{
	struct named a = named('A', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	unregister_kprobe(&a.kp);
	sim_text[F_AT + F_ADD] = TOY_BREAK;
	/* The trap may have been ours, and this one be newer: it is tried again, once. */
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_int_equal(regs.pc, unit_f + F_ADD);
	assert_false(unit_hit(unit_f + F_ADD, &regs));
	assert_false(unit_hit(unit_f + F_ADD, &regs));
	sim_text[F_AT + F_ADD] = unit_f_bytes[F_ADD];
}

static void a_merged_trap_is_recognised(void **state)
{
	struct named longer = named('A', "f", F_ADD), byte = named('B', "f", F_ENTRY);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&longer.kp), 0);
	assert_int_equal(register_kprobe(&byte.kp), 0);
	regs.pc = unit_f + F_ADD + 1;
	assert_true(kp_core_must_have_trapped(&regs));
	/* The next instruction starts there: nobody can tell. */
	regs.pc = unit_f + F_ENTRY + 1;
	assert_false(kp_core_must_have_trapped(&regs));
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_false(kp_core_must_have_trapped(&regs));
	regs.pc = unit_step_end(&longer.kp, false);
	assert_true(kp_core_must_have_trapped(&regs));
	unregister_kprobe(&longer.kp);
	unregister_kprobe(&byte.kp);
	regs.pc = unit_f + F_ADD + 1;
	assert_false(kp_core_must_have_trapped(&regs));
}

/* A pre handler that hits probe B twice. */
static struct named inner_a, inner_b;

static int hits_another(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs inside = { 0 };
	int i;

	(void)p;
	(void)regs;
	note('X');
	for (i = 0; i < 2; i++) {
		assert_true(unit_hit(unit_f + F_ADD, &inside));
		assert_true(in_slot(&inner_b.kp, inside.pc));
	}
	return 0;
}

static void K_REE_01_02_04_05_nested(void **state)
{
	struct kprobe outer = { .symbol_name = "g",
				.pre_handler = hits_another };
	struct pt_regs regs = { 0 };

	(void)state;
	inner_a = named('A', "f", F_ADD);
	inner_b = named('B', "f", F_ADD);
	assert_int_equal(register_kprobe(&outer), 0);
	assert_int_equal(register_kprobe(&inner_a.kp), 0);
	assert_int_equal(register_kprobe(&inner_b.kp), 0);
	assert_int_equal(disable_kprobe(&inner_a.kp), 0);
	assert_true(unit_hit(unit_g, &regs));
	assert_int_equal(regs.pc, unit_g + 4);
	assert_string_equal(trace, "X");
	assert_int_equal(inner_a.kp.nmissed, 2);
	assert_int_equal(inner_b.kp.nmissed, 2);
	assert_int_equal(outer.nmissed, 0);
	unregister_kprobe(&inner_a.kp);
	unregister_kprobe(&inner_b.kp);
	unregister_kprobe(&outer);
	assert_int_equal(inner_b.kp.nmissed, 2);	/* K-REG-83 */
}

static void no_context_counts_as_missed(void **state)
{
	struct named a = named('A', "f", F_ADD);
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	sim_script(SIM_ENTER, "f");
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_true(in_slot(&a.kp, regs.pc));
	assert_int_equal(a.kp.nmissed, 1);
	assert_string_equal(trace, "");
	unregister_kprobe(&a.kp);
}

static int calls_the_api(struct kprobe *p, struct pt_regs *regs)
{
	(void)regs;
	assert_int_equal(register_kprobe(p), -EDEADLK);
	assert_int_equal(disable_kprobe(p), -EDEADLK);
	assert_int_equal(enable_kprobe(p), -EDEADLK);
	unregister_kprobe(p);
	note('D');
	return 0;
}

static void K_API_17_calls_from_a_handler(void **state)
{
	struct kprobe p = { .symbol_name = "g", .pre_handler = calls_the_api };
	struct pt_regs regs = { 0 };

	(void)state;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(unit_hit(unit_g, &regs));
	assert_string_equal(trace, "D");
	assert_int_equal(sim_text[G_AT], TOY_BREAK);
	unregister_kprobe(&p);
}

/* ---- faults ---------------------------------------------------------------- */

static int fault_resolved;

static int faulting_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	regs->r[0] = 0xbad;
	if (sim_handler_fault(TOY_NO_MEMORY))
		note('R');
	return 0;
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	(void)p;
	(void)regs;
	assert_int_equal(trapnr, TOY_NO_MEMORY);
	note('F');
	return fault_resolved;
}

static void K_FLT_01_to_05_in_a_handler(void **state)
{
	struct named other = named('O', "f", F_ADD);
	struct kprobe p = { .symbol_name = "f", .offset = F_ADD,
			    .pre_handler = faulting_pre,
			    .fault_handler = on_fault };
	struct pt_regs regs = { 0 };

	(void)state;
	fault_resolved = 1;
	assert_int_equal(register_kprobe(&other.kp), 0);
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_string_equal(trace, "FRO");
	assert_int_equal(p.nmissed, 1);
	assert_int_equal(other.kp.nmissed, 1);
	assert_false(kprobe_disabled(&p));
	unregister_kprobe(&p);
	unregister_kprobe(&other.kp);
}

static void a_faulting_handler_is_abandoned(void **state)
{
	struct kprobe p = { .symbol_name = "f", .offset = F_ADD,
			    .pre_handler = faulting_pre,
			    .fault_handler = on_fault };
	struct pt_regs regs = { .r[0] = 7 };

	(void)state;
	fault_resolved = 0;
	assert_int_equal(register_kprobe(&p), 0);
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_string_equal(trace, "F");
	assert_int_equal(regs.r[0], 7);
	assert_true(kprobe_disabled(&p));
	assert_true(sim_counts.logs > 0);
	/* Execution goes on; the probe stays quiet. */
	assert_true(in_slot(&p, regs.pc));
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_string_equal(trace, "F");
	/* Disabled on the trap path; the text follows the next call. */
	assert_int_equal(disable_kprobe(&p), 0);
	assert_int_equal(sim_text[F_AT + F_ADD], unit_f_bytes[F_ADD]);
	assert_int_equal(enable_kprobe(&p), 0);
	assert_int_equal(sim_text[F_AT + F_ADD], TOY_BREAK);
	unregister_kprobe(&p);
	assert_int_equal(sim_text[F_AT + F_ADD], unit_f_bytes[F_ADD]);
}

/* Each is abandoned by itself; what the others made of the registers stays. */
static int changing_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	note('C');
	regs->r[1]++;
	return 0;
}

static void several_faults_in_one_hit(bool (*hit)(struct pt_regs *))
{
	struct kprobe bad[3], good[2];
	struct pt_regs regs = { .r[0] = 7, .pc = unit_f + F_ADD + 1 };
	int i;

	fault_resolved = 0;
	for (i = 0; i < 3; i++) {
		bad[i] = (struct kprobe){ .symbol_name = "f", .offset = F_ADD,
					  .pre_handler = faulting_pre };
		assert_int_equal(register_kprobe(&bad[i]), 0);
		if (i == 2)
			break;
		good[i] = (struct kprobe){ .symbol_name = "f", .offset = F_ADD,
					   .pre_handler = changing_pre };
		assert_int_equal(register_kprobe(&good[i]), 0);
	}
	assert_true(hit(&regs));
	assert_string_equal(trace, "CC");
	assert_int_equal(regs.r[0], 7);
	assert_int_equal(regs.r[1], 2);
	for (i = 0; i < 3; i++)
		assert_true(kprobe_disabled(&bad[i]));
	assert_true(in_slot(&good[0], regs.pc));
	regs.pc = unit_f + F_ADD + 1;
	assert_true(hit(&regs));
	assert_string_equal(trace, "CCCC");
	for (i = 0; i < 3; i++)
		unregister_kprobe(&bad[i]);
	for (i = 0; i < 2; i++)
		unregister_kprobe(&good[i]);
}

static void K_FLT_06_several_in_one_hit(void **state)
{
	(void)state;
	several_faults_in_one_hit(kp_core_on_trap);
}

static void K_FLT_06_several_in_a_frame_of_the_hosts(void **state)
{
	(void)state;
	several_faults_in_one_hit(sim_framed_trap);
}

static int on_slot_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	assert_int_equal(regs->pc, (uintptr_t)p->addr);
	assert_int_equal(trapnr, TOY_NO_MEMORY);
	note('S');
	if (fault_resolved)
		regs->pc = unit_g;
	return fault_resolved;
}

static void K_FLT_07_08_in_the_copy(void **state)
{
	struct named a = named('A', "f", F_ENTRY);
	struct pt_regs regs = { .sp = 0x2000 };

	(void)state;
	a.kp.fault_handler = on_slot_fault;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	fault_resolved = 0;
	assert_false(kp_core_on_fault(&regs, TOY_NO_MEMORY));
	assert_int_equal(regs.pc, unit_f + F_ENTRY);
	assert_int_equal(regs.sp, 0x2000);
	assert_string_equal(trace, "AS");
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	fault_resolved = 1;
	assert_true(kp_core_on_fault(&regs, TOY_NO_MEMORY));
	assert_int_equal(regs.pc, unit_g);
	assert_int_equal(a.kp.nmissed, 0);
	unregister_kprobe(&a.kp);
}

static void K_FLT_09_emulated_instruction_faults(void **state)
{
	struct named a = named('A', "f", F_RET);
	struct pt_regs regs = { .sp = SIM_UNMAPPED };

	(void)state;
	assert_int_equal(register_kprobe(&a.kp), 0);
	assert_true(unit_hit(unit_f + F_RET, &regs));
	/* Not emulated: it is to fault in the slot, for real. */
	assert_true(in_slot(&a.kp, regs.pc));
	assert_int_equal(regs.sp, SIM_UNMAPPED);
	assert_false(kp_core_on_fault(&regs, TOY_NO_MEMORY));
	assert_int_equal(regs.pc, unit_f + F_RET);
	unregister_kprobe(&a.kp);
}

static void K_FLT_12_not_ours(void **state)
{
	struct pt_regs regs = { .pc = unit_f };

	(void)state;
	assert_false(kp_core_on_fault(&regs, TOY_NO_MEMORY));
	assert_int_equal(regs.pc, unit_f);
}

/* ---- patching under hits ---------------------------------------------------- */

static struct named live;
static int hits_during_writes;

/* After every single write the site is armed or has its old bytes. */
static void hit_now(void)
{
	struct pt_regs regs = { 0 };
	uint8_t now = sim_text[F_AT + F_ADD];

	assert_true(now == TOY_BREAK || now == unit_f_bytes[F_ADD]);
	assert_memory_equal(sim_text + F_AT + F_ADD + 1,
			    unit_f_bytes + F_ADD + 1, 5);
	/* A trap taken before the write arrives after it. */
	assert_true(unit_hit(unit_f + F_ADD, &regs));
	assert_true(regs.pc == unit_f + F_ADD || in_slot(&live.kp, regs.pc));
	hits_during_writes++;
}

static void K_INV_07_no_unowned_trap_while_patching(void **state)
{
	(void)state;
	live = named('L', "f", F_ADD);
	sim_after_write = hit_now;
	assert_int_equal(register_kprobe(&live.kp), 0);
	assert_int_equal(disable_kprobe(&live.kp), 0);
	assert_int_equal(enable_kprobe(&live.kp), 0);
	unregister_kprobe(&live.kp);
	assert_int_equal(hits_during_writes, 4);
}

#define TRAP(test) cmocka_unit_test_setup_teardown(test, setup, unit_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAP(K_HIT_01_04_05_06_step),
		TRAP(K_HIT_05_emulated_jump),
		TRAP(K_XI_60_boosted_without_post),
		TRAP(K_HIT_10_11_ip_discarded),
		TRAP(K_HIT_12_13_14_taken_over),
		TRAP(K_HIT_15_16_19_20_order),
		TRAP(K_HIT_17_first_taker_ends_the_pass),
		TRAP(K_HIT_23_post_added_to_boosted),
		TRAP(K_HIT_25_vanished_breakpoint),
		TRAP(K_HIT_26_foreign_breakpoint),
		TRAP(a_foreign_breakpoint_on_an_idle_site),
		TRAP(a_merged_trap_is_recognised),
		TRAP(K_REE_01_02_04_05_nested),
		TRAP(no_context_counts_as_missed),
		TRAP(K_API_17_calls_from_a_handler),
		TRAP(K_FLT_01_to_05_in_a_handler),
		TRAP(a_faulting_handler_is_abandoned),
		TRAP(K_FLT_06_several_in_one_hit),
		TRAP(K_FLT_06_several_in_a_frame_of_the_hosts),
		TRAP(K_FLT_07_08_in_the_copy),
		TRAP(K_FLT_09_emulated_instruction_faults),
		TRAP(K_FLT_12_not_ours),
		TRAP(K_INV_07_no_unowned_trap_while_patching),
	};

	return cmocka_run_group_tests_name("trap", tests, NULL, NULL);
}
