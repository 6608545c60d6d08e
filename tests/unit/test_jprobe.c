/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * test_jprobe.c - jprobes on the simulated host: K-JP and what K-API, K-REG
 * and K-FLT say about them.
 *
 * Covers: core/jprobe.c
 */
#include "unit.h"
#include "arch.h"
#include "host.h"
#include "jprobe.h"

static char trace[64];
static size_t trace_len;
static unsigned long got[8];

static void note(char what)
{
	trace[trace_len++] = what;
	trace[trace_len] = 0;
}

/* ---- handlers ---------------------------------------------------------------- */

static void first(unsigned long a, unsigned long b, unsigned long c,
		  unsigned long d, unsigned long e, unsigned long f,
		  unsigned long g, unsigned long h)
{
	const unsigned long args[8] = { a, b, c, d, e, f, g, h };

	memcpy(got, args, sizeof(got));
	note('1');
	jprobe_return();
	note('!');
}

static void second(unsigned long a)
{
	(void)a;
	note('2');
	jprobe_return();
}

static void forgets(unsigned long a)
{
	(void)a;
	note('f');
}

static void faults(unsigned long a)
{
	(void)a;
	if (sim_handler_fault(TOY_NO_MEMORY))
		note('R');
	jprobe_return();
	note('!');
}

static int sees_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	(void)p;
	(void)regs;
	assert_int_equal(trapnr, TOY_NO_MEMORY);
	note('F');
	jprobe_return();		/* not in its entry: ignored */
	return 1;
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	note('p');
	return 0;
}

static int takes_over(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	regs->pc = unit_g;
	note('t');
	return 1;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	note('o');
}

static int breaks(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	note('b');
	return 1;
}

/* ---- the stage ----------------------------------------------------------------- */

/* Not on this stack: what the probed function's caller pushed. */
static unsigned long stack[64];

static int setup(void **state)
{
	static const struct { const char *name; void *fn; } handlers[] = {
		{ "first", (void *)first }, { "second", (void *)second },
		{ "forgets", (void *)forgets }, { "faults", (void *)faults },
	};
	int err = unit_setup(state);
	size_t i;

	for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		sim_symbol(handlers[i].name, (uintptr_t)handlers[i].fn, 8);
	trace_len = 0;
	trace[0] = 0;
	memset(got, 0, sizeof(got));
	for (i = 0; i < 64; i++)
		stack[i] = 1000 + i;
	return err;
}

static struct jprobe on_f(void *entry)
{
	return (struct jprobe){ .kp.symbol_name = "f", .entry = entry };
}

static struct pt_regs call_of_f(void)
{
	return (struct pt_regs){
		.r = { 1, 2, 3, 4, 5, 6, 7, 8 }, .flags = 9,
		.sp = (uintptr_t)stack,
	};
}

static void hit_f(struct pt_regs *regs)
{
	*regs = call_of_f();
	assert_true(unit_hit(unit_f + F_ENTRY, regs));
}

/* ---- what a handler sees --------------------------------------------------------- */

static void K_API_02_05_K_JP_01_02_03_04_arguments(void **state)
{
	struct jprobe jp = on_f(JPROBE_ENTRY(first));
	const unsigned long want[8] = { 1, 2, 3, 4, 5, 6, 1001, 1002 };
	struct pt_regs regs;

	(void)state;
	assert_ptr_equal(&jp, &jp.kp);
	assert_int_equal(register_jprobe(&jp), 0);
	hit_f(&regs);
	assert_string_equal(trace, "1");
	assert_memory_equal(got, want, sizeof(want));
	unregister_jprobe(&jp);
}

static void K_JP_05_07_registers_and_stack_untouched(void **state)
{
	struct jprobe jp = on_f(first);
	struct pt_regs regs, want = call_of_f();
	unsigned long before[64];

	(void)state;
	memcpy(before, stack, sizeof(before));
	assert_int_equal(register_jprobe(&jp), 0);
	hit_f(&regs);
	want.pc = regs.pc;
	assert_memory_equal(&regs, &want, sizeof(regs));
	assert_memory_equal(stack, before, sizeof(before));
	/* The first instruction, in its slot. */
	assert_true(regs.pc - (uintptr_t)jp.kp.ainsn.insn < KP_ARCH_SLOT_LEN);
	unregister_jprobe(&jp);
}

static uintptr_t readable_end;

static int read_until_end(uintptr_t addr, void *dst, size_t len)
{
	if (addr + len > readable_end)
		return -EFAULT;
	memcpy(dst, (const void *)addr, len);
	return 0;
}

static void K_JP_06_as_much_stack_as_there_is(void **state)
{
	const struct kp_arch_mem mem = { .read = read_until_end };
	struct pt_regs regs = call_of_f();
	struct kp_arch_jprobe copy;
	static const unsigned char zero[KP_ARCH_JPROBE_STACK];
	size_t there;

	(void)state;
	assert_true(KP_ARCH_JPROBE_STACK >= MAX_STACK_SIZE);
	for (there = 0; there <= sizeof(copy.stack); there += sizeof(long)) {
		readable_end = (uintptr_t)(stack + 1) + there;
		memset(&copy, 0xaa, sizeof(copy));
		kp_arch_jprobe_take(&copy, &regs, NULL, &mem);
		assert_memory_equal(copy.stack, stack + 1, there);
		assert_memory_equal(copy.stack + there, zero,
				    sizeof(copy.stack) - there);
	}
}

/* ---- registration ------------------------------------------------------------------ */

static void refused(struct jprobe jp, int err)
{
	assert_int_equal(register_jprobe(&jp), err);
	assert_memory_equal(sim_text + F_AT, unit_f_bytes,
			    sizeof(unit_f_bytes));
	/* Not registered (K-UNR-04). */
	unregister_jprobe(&jp);
	assert_null(jp.kp.addr);
}

static void K_JP_08_both_must_be_entries(void **state)
{
	struct jprobe jp = on_f(NULL);

	(void)state;
	refused(jp, -EINVAL);
	jp = on_f((char *)(void *)first + 1);
	refused(jp, -EINVAL);
	jp = on_f((void *)refused);		/* belongs to no symbol */
	refused(jp, -EINVAL);
	jp = on_f((void *)5);			/* not code */
	refused(jp, -EINVAL);
	jp = on_f(first);
	jp.kp.offset = F_ADD;
	refused(jp, -EINVAL);
	jp.kp.offset = F_ENTRY;			/* behind the landing pad */
	assert_int_equal(register_jprobe(&jp), 0);
	unregister_jprobe(&jp);
	assert_int_equal(register_jprobe(NULL), -EINVAL);
	assert_int_equal(register_jprobe((struct jprobe *)SIM_UNMAPPED), -EINVAL);
	unregister_jprobe(NULL);
	unregister_jprobe((struct jprobe *)SIM_UNMAPPED);
}

static void K_JP_09_refused_by_the_host(void **state)
{
	struct jprobe jp = on_f(first);

	(void)state;
	sim_jprobe_refused = "its arguments are elsewhere";
	refused(jp, -EOPNOTSUPP);
	sim_jprobe_refused = NULL;
	assert_int_equal(register_jprobe(&jp), 0);
	unregister_jprobe(&jp);
}

static void K_JP_09_errors_as_register_kprobe(void **state)
{
	struct jprobe jp = { .entry = first };
	struct pt_regs regs;

	(void)state;
	refused(jp, -EINVAL);
	jp = on_f(first);
	jp.kp.addr = (kprobe_opcode_t *)unit_f;
	refused(jp, -EINVAL);
	jp = (struct jprobe){ .kp.symbol_name = "nobody", .entry = first };
	refused(jp, -ENOENT);
	kp_core_blacklist_add(unit_f, sizeof(unit_f_bytes), "f");
	refused(on_f(first), -EINVAL);
	kp_core_blacklist_remove(unit_f, sizeof(unit_f_bytes));

	jp = on_f(first);
	assert_int_equal(register_jprobe(&jp), 0);
	jp.kp.symbol_name = NULL;
	assert_int_equal(register_jprobe(&jp), -EINVAL);
	assert_int_equal(register_kprobe(&jp.kp), -EINVAL);
	hit_f(&regs);
	assert_string_equal(trace, "1");
	unregister_jprobe(&jp);
}

static void K_JP_27_switch_to(void **state)
{
	struct jprobe jp = { .kp.symbol_name = "__switch_to", .entry = first };

	(void)state;
	sim_symbol("__switch_to", (uintptr_t)sim_text + 0x300, 16);
	kp_core_blacklist_add((uintptr_t)sim_text + 0x300, 16, "__switch_to");
	assert_int_equal(register_jprobe(&jp), -EINVAL);
}

static void K_JP_10_handlers_replaced(void **state)
{
	struct jprobe jp = on_f(first);
	struct pt_regs regs;

	(void)state;
	jp.kp.pre_handler = pre;
	jp.kp.break_handler = breaks;
	jp.kp.post_handler = post;
	assert_int_equal(register_jprobe(&jp), 0);
	assert_true(jp.kp.pre_handler != pre);
	assert_true(jp.kp.break_handler != breaks);
	assert_true(jp.kp.post_handler == post);
	hit_f(&regs);
	assert_string_equal(trace, "1");
	unregister_jprobe(&jp);
}

static void K_API_19_as_a_plain_kprobe(void **state)
{
	struct jprobe jp = on_f(first);
	struct pt_regs regs;

	(void)state;
	assert_int_equal(register_kprobe(&jp.kp), 0);
	hit_f(&regs);
	unregister_jprobe(&jp);
	assert_string_equal(trace, "");
	/* A jprobe, and a plain one again. */
	jp = on_f(first);
	assert_int_equal(register_jprobe(&jp), 0);
	unregister_kprobe(&jp.kp);
	jp.kp.addr = NULL;
	jp.kp.flags = 0;
	assert_int_equal(register_kprobe(&jp.kp), 0);
	hit_f(&regs);
	unregister_kprobe(&jp.kp);
	assert_string_equal(trace, "");
}

static void K_REG_75_K_JP_21_batches(void **state)
{
	struct jprobe a = on_f(first), b = on_f(NULL), c = on_f(second);
	struct jprobe *all[] = { &a, &b, &c };
	struct pt_regs regs;

	(void)state;
	assert_int_equal(register_jprobes(all, 0), -EINVAL);
	assert_int_equal(register_jprobes(NULL, -1), -EINVAL);
	assert_int_equal(register_jprobes(all, 3), -EINVAL);
	assert_memory_equal(sim_text + F_AT, unit_f_bytes,
			    sizeof(unit_f_bytes));
	assert_non_null(a.kp.addr);		/* K-REG-72 */
	assert_null(c.kp.addr);
	a = on_f(first);
	b = on_f(second);
	assert_int_equal(register_jprobes(all, 2), 0);
	hit_f(&regs);
	assert_string_equal(trace, "21");
	/* c was never registered (K-UNR-05). */
	c.kp.addr = (kprobe_opcode_t *)unit_g;
	unregister_jprobes(all, 3);
	unregister_jprobes(all, 0);
	assert_null(c.kp.addr);
	assert_non_null(a.kp.addr);
	all[1] = &a;
	a = on_f(first);
	assert_int_equal(register_jprobes(all, 2), -EINVAL);
	all[1] = NULL;
	a = on_f(first);
	assert_int_equal(register_jprobes(all, 2), -EINVAL);
}

static void K_JP_22_disable_enable(void **state)
{
	struct jprobe jp = on_f(first);
	struct pt_regs regs;

	(void)state;
	assert_int_equal(disable_jprobe(&jp), -EINVAL);
	assert_int_equal(enable_jprobe(&jp), -EINVAL);
	assert_int_equal(register_jprobe(&jp), 0);
	assert_int_equal(disable_jprobe(&jp), 0);
	assert_int_equal(disable_jprobe(&jp), 0);
	assert_memory_equal(sim_text + F_AT, unit_f_bytes,
			    sizeof(unit_f_bytes));
	assert_int_equal(enable_jprobe(&jp), 0);
	assert_int_equal(enable_jprobe(&jp), 0);
	hit_f(&regs);
	assert_string_equal(trace, "1");
	unregister_jprobe(&jp);
	jp = on_f(first);
	jp.kp.flags = KPROBE_FLAG_DISABLED;
	assert_int_equal(register_jprobe(&jp), 0);
	assert_int_equal(sim_text[F_AT + F_ENTRY], unit_f_bytes[F_ENTRY]);
	unregister_jprobe(&jp);
}

static char listed[256];

static void collect(void *arg, const char *line, size_t len)
{
	(void)arg;
	memcpy(listed + strlen(listed), line, len);
}

static void K_JP_23_letter_j(void **state)
{
	struct jprobe jp = on_f(first);

	(void)state;
	memset(listed, 0, sizeof(listed));
	assert_int_equal(register_jprobe(&jp), 0);
	kp_core_report_list(collect, NULL, false);
	assert_string_equal(listed, "0000000000000000  j  f+0x4    \n");
	unregister_jprobe(&jp);
}

/* ---- company ------------------------------------------------------------------------ */

static void K_JP_11_12_26_as_many_as_you_like(void **state)
{
	struct jprobe a = on_f(first), b = on_f(second), c = on_f(first);
	struct kprobe k = { .symbol_name = "f", .break_handler = breaks };
	struct pt_regs regs;

	(void)state;
	assert_int_equal(register_kprobe(&k), 0);
	assert_int_equal(register_jprobe(&a), 0);
	assert_int_equal(register_jprobe(&b), 0);
	assert_int_equal(register_jprobe(&c), 0);
	hit_f(&regs);
	assert_string_equal(trace, "121");
	unregister_jprobe(&b);
	hit_f(&regs);
	assert_string_equal(trace, "12111");
	unregister_jprobe(&a);
	unregister_jprobe(&c);
	unregister_kprobe(&k);
}

static void K_JP_13_14_15_kprobes_first(void **state)
{
	struct kprobe before = { .symbol_name = "f", .pre_handler = pre,
				 .post_handler = post };
	struct kprobe after = { .symbol_name = "f", .pre_handler = pre };
	struct kprobe taker = { .symbol_name = "f", .pre_handler = takes_over };
	struct jprobe jp = on_f(first);
	struct pt_regs regs;

	(void)state;
	assert_int_equal(register_kprobe(&before), 0);
	assert_int_equal(register_jprobe(&jp), 0);
	assert_int_equal(register_kprobe(&after), 0);
	hit_f(&regs);
	assert_string_equal(trace, "pp1");
	/* Behind the stepped copy: post handlers. */
	unit_post(&jp.kp, &regs);
	assert_string_equal(trace, "pp1o");
	assert_int_equal(register_kprobe(&taker), 0);
	hit_f(&regs);
	assert_string_equal(trace, "pp1ot");
	assert_int_equal(regs.pc, unit_g);
	unregister_kprobe(&before);
	unregister_kprobe(&after);
	unregister_kprobe(&taker);
	unregister_jprobe(&jp);
}

static struct kprobe inner;
static struct jprobe busy;

static void nests(unsigned long a)
{
	struct pt_regs regs = call_of_f();
	struct kprobe other = { .symbol_name = "f" };

	(void)a;
	note('n');
	assert_true(unit_hit(unit_g, &regs));
	assert_true(unit_hit(unit_f + F_ENTRY, &regs));
	assert_int_equal(register_kprobe(&other), -EDEADLK);
	assert_int_equal(register_jprobe(&busy), -EDEADLK);
	unregister_jprobe(&busy);
	assert_int_equal(disable_jprobe(&busy), -EDEADLK);
	jprobe_return();
}

static void K_JP_16_hits_inside_are_missed(void **state)
{
	struct pt_regs regs;

	(void)state;
	sim_symbol("nests", (uintptr_t)nests, 8);
	inner = (struct kprobe){ .symbol_name = "g", .pre_handler = pre };
	busy = on_f((void *)nests);
	assert_int_equal(register_kprobe(&inner), 0);
	assert_int_equal(register_jprobe(&busy), 0);
	hit_f(&regs);
	assert_string_equal(trace, "n");
	assert_int_equal(inner.nmissed, 1);
	assert_int_equal(busy.kp.nmissed, 1);
	unregister_jprobe(&busy);
	unregister_kprobe(&inner);
}

/* ---- misuse, faults, foreign breakpoints --------------------------------------------- */

static void K_JP_19_returns_without_jprobe_return(void **state)
{
	struct jprobe jp = on_f(forgets), other = on_f(second);
	struct pt_regs regs;
	size_t logs;

	(void)state;
	assert_int_equal(register_jprobe(&other), 0);
	assert_int_equal(register_jprobe(&jp), 0);
	logs = sim_counts.logs;
	hit_f(&regs);
	assert_string_equal(trace, "f2");
	assert_int_equal(sim_counts.logs, logs + 1);
	assert_non_null(jp.kp.reason);
	assert_int_equal(regs.r[0], 1);
	assert_true(regs.pc - (uintptr_t)jp.kp.ainsn.insn < KP_ARCH_SLOT_LEN);
	hit_f(&regs);				/* said once */
	assert_int_equal(sim_counts.logs, logs + 1);
	assert_string_equal(trace, "f2f2");
	unregister_jprobe(&jp);
	unregister_jprobe(&other);
}

static int returns_as_jprobe(struct kprobe *p, struct pt_regs *regs)
{
	jprobe_return();
	return pre(p, regs);
}

static void K_JP_18_20_jprobe_return_elsewhere(void **state)
{
	struct kprobe k = { .symbol_name = "f",
			    .pre_handler = returns_as_jprobe };
	struct jprobe jp = on_f(first);
	struct pt_regs regs;
	size_t logs = sim_counts.logs;

	(void)state;
	jprobe_return();
	assert_int_equal(sim_counts.logs, logs + 1);
	assert_int_equal(register_kprobe(&k), 0);
	assert_int_equal(register_jprobe(&jp), 0);
	hit_f(&regs);
	assert_string_equal(trace, "p1");
	assert_int_equal(sim_counts.logs, logs + 2);
	jprobe_return();
	assert_int_equal(sim_counts.logs, logs + 3);
	unregister_kprobe(&k);
	unregister_jprobe(&jp);
}

static void K_FLT_10_a_jprobes_fault_handler(void **state)
{
	struct jprobe jp = { .kp.addr = (kprobe_opcode_t *)unit_f,
			     .kp.fault_handler = sees_fault, .entry = faults };
	struct pt_regs regs;

	(void)state;
	assert_int_equal(register_jprobe(&jp), 0);
	hit_f(&regs);
	assert_string_equal(trace, "FR");
	assert_int_equal(jp.kp.nmissed, 1);
	assert_false(kprobe_disabled(&jp.kp));
	unregister_jprobe(&jp);
}

static void a_faulting_entry_is_abandoned(void **state)
{
	struct jprobe jp = on_f(faults), other = on_f(second);
	struct pt_regs regs, want = call_of_f();
	size_t logs;

	(void)state;
	assert_int_equal(register_jprobe(&other), 0);
	assert_int_equal(register_jprobe(&jp), 0);
	hit_f(&regs);
	assert_string_equal(trace, "2");
	assert_true(kprobe_disabled(&jp.kp));
	assert_false(kprobe_disabled(&other.kp));
	want.pc = regs.pc;
	assert_memory_equal(&regs, &want, sizeof(regs));
	/* Nothing to return from is left. */
	logs = sim_counts.logs;
	jprobe_return();
	assert_int_equal(sim_counts.logs, logs + 1);
	hit_f(&regs);
	assert_string_equal(trace, "22");
	unregister_jprobe(&jp);
	unregister_jprobe(&other);
}

static bool trap_was_ours;

static int has_a_breakpoint(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs inside = call_of_f();

	(void)regs;
	note(p->break_handler ? 'B' : 'N');
	trap_was_ours = unit_hit((uintptr_t)sim_text + 0x800, &inside);
	return 0;
}

static int break_declines(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	assert_int_equal(regs->pc, (uintptr_t)sim_text + 0x801);
	note('d');
	return 0;
}

static int break_is_broken(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs inside = call_of_f();

	(void)p;
	(void)regs;
	note('x');
	/* One inside it is nobody's. */
	assert_false(unit_hit((uintptr_t)sim_text + 0x800, &inside));
	sim_handler_fault(TOY_NO_MEMORY);
	note('!');
	return 1;
}

static void K_JP_25_break_handler(void **state)
{
	struct kprobe p = { .symbol_name = "f",
			    .pre_handler = has_a_breakpoint };
	struct kprobe idle = { .symbol_name = "f", .break_handler = breaks };
	struct pt_regs regs;

	(void)state;
	sim_text[0x800] = TOY_BREAK;
	assert_int_equal(register_kprobe(&p), 0);
	assert_int_equal(register_kprobe(&idle), 0);
	hit_f(&regs);				/* none, and not the other's */
	assert_false(trap_was_ours);
	p.break_handler = break_declines;
	hit_f(&regs);
	assert_false(trap_was_ours);
	p.break_handler = breaks;
	hit_f(&regs);
	assert_true(trap_was_ours);
	/* Then the probed instruction is executed. */
	assert_true(regs.pc - (uintptr_t)p.ainsn.insn < KP_ARCH_SLOT_LEN);
	assert_string_equal(trace, "NBdBb");
	p.break_handler = break_is_broken;
	hit_f(&regs);
	assert_false(trap_was_ours);
	assert_string_equal(trace, "NBdBbBx");
	assert_false(kprobe_disabled(&p));
	/* No handler runs: nobody is asked. */
	assert_false(unit_hit((uintptr_t)sim_text + 0x800, &regs));
	unregister_kprobe(&p);
	unregister_kprobe(&idle);
	p = (struct kprobe){ .symbol_name = "f", .break_handler = (void *)5 };
	assert_int_equal(register_kprobe(&p), -EINVAL);
}

/* ---- nothing is left when memory runs out --------------------------------------------- */

static void registration_without_memory(void **state)
{
	struct jprobe a, b, *both[] = { &a, &b };
	static const char *const scripts[] = { "f", "af", "aaf", "aaaf", "aaaaf" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		a = on_f(first);
		b = on_f(second);
		sim_script(SIM_ALLOC, scripts[i]);
		if (!register_jprobes(both, 2))
			unregister_jprobes(both, 2);
		sim_script(SIM_ALLOC, "");
		assert_memory_equal(sim_text + F_AT, unit_f_bytes,
				    sizeof(unit_f_bytes));
	}
}

#define JPROBE(test) \
	cmocka_unit_test_setup_teardown(test, setup, unit_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JPROBE(K_API_02_05_K_JP_01_02_03_04_arguments),
		JPROBE(K_JP_05_07_registers_and_stack_untouched),
		JPROBE(K_JP_06_as_much_stack_as_there_is),
		JPROBE(K_JP_08_both_must_be_entries),
		JPROBE(K_JP_09_refused_by_the_host),
		JPROBE(K_JP_09_errors_as_register_kprobe),
		JPROBE(K_JP_27_switch_to),
		JPROBE(K_JP_10_handlers_replaced),
		JPROBE(K_API_19_as_a_plain_kprobe),
		JPROBE(K_REG_75_K_JP_21_batches),
		JPROBE(K_JP_22_disable_enable),
		JPROBE(K_JP_23_letter_j),
		JPROBE(K_JP_11_12_26_as_many_as_you_like),
		JPROBE(K_JP_13_14_15_kprobes_first),
		JPROBE(K_JP_16_hits_inside_are_missed),
		JPROBE(K_JP_19_returns_without_jprobe_return),
		JPROBE(K_JP_18_20_jprobe_return_elsewhere),
		JPROBE(K_FLT_10_a_jprobes_fault_handler),
		JPROBE(a_faulting_entry_is_abandoned),
		JPROBE(K_JP_25_break_handler),
		JPROBE(registration_without_memory),
	};

	return cmocka_run_group_tests_name("jprobe", tests, NULL, NULL);
}
