/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* switching.c - K-EN and K-UNR for single probes. */
#include "harness.h"

static void not_registered(void)
{
	struct kprobe p = { .addr = T_AT(t_add, 0) };

	EXPECT_EQ("K-EN-01", "disable", disable_kprobe(&p), -EINVAL);
	EXPECT_EQ("K-EN-01", "enable", enable_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
	EXPECT("K-UNR-04", "unregister only clears addr", !p.addr);
	EXPECT_EQ("K-UNR-04", "the text is untouched", t_text(t_add), T_ADD_FIRST);
	p = (struct kprobe){ .symbol_name = "t_add" };
	t_register(&p);
	unregister_kprobe(&p);
	EXPECT("K-UNR-13", "unregister sets DISABLED",
	       p.flags & KPROBE_FLAG_DISABLED);
	EXPECT("K-REG-80", "and keeps addr", p.addr == T_AT(t_add, 0));
	unregister_kprobe(&p);
	EXPECT("K-UNR-04", "a second time clears addr", !p.addr);
	EXPECT_EQ("K-EN-01", "enable after unregister", enable_kprobe(&p),
		  -EINVAL);
}

static void on_and_off(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	int i, ok = 1;

	t_register(&p);
	EXPECT_EQ("K-EN-02", "disable", disable_kprobe(&p), 0);
	EXPECT("K-EN-04", "DISABLED is set", kprobe_disabled(&p));
	EXPECT_EQ("K-EN-03", "the trap is gone", t_text(t_add), T_ADD_FIRST);
	EXPECT_EQ("K-EN-02", "disable again", disable_kprobe(&p), 0);
	t_reset();
	EXPECT_EQ("K-INV-02", "works", t_add(1, 1), 2);
	EXPECT_EQ("K-INV-02", "no handler after disable", t_counts.pre, 0);
	EXPECT_EQ("K-EN-02", "enable", enable_kprobe(&p), 0);
	EXPECT("K-EN-04", "DISABLED is cleared", !kprobe_disabled(&p));
	EXPECT_EQ("K-EN-04", "armed again", t_text(t_add), T_BP);
	EXPECT_EQ("K-EN-02", "enable again", enable_kprobe(&p), 0);
	t_add(1, 1);
	EXPECT_EQ("K-EN-04", "hit", t_counts.pre, 1);
	t_reset();
	for (i = 0; i < 300; i++) {
		ok &= !disable_kprobe(&p) && t_add(i, 1) == i + 1;
		ok &= !enable_kprobe(&p) && t_add(i, 2) == i + 2;
	}
	EXPECT("K-EN-02", "300 toggles", ok && t_counts.pre == 300);
	disable_kprobe(&p);
	unregister_kprobe(&p);
	EXPECT("K-UNR-03", "unregister while disabled",
	       p.addr == T_AT(t_add, 0) && t_text(t_add) == T_ADD_FIRST);
}

static void beside_another(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe q = p;

	t_register(&p);
	t_register(&q);
	disable_kprobe(&p);
	EXPECT_EQ("K-EN-03", "the trap stays for the other", t_text(t_add),
		  T_BP);
	EXPECT("K-EN-04", "only that child is disabled",
	       kprobe_disabled(&p) && !kprobe_disabled(&q));
	t_reset();
	t_add(1, 1);
	EXPECT("K-EN-04", "the other is called",
	       t_counts.pre == 1 && t_counts.who == &q);
	unregister_kprobe(&q);
	EXPECT_EQ("K-UNR-11", "the last enabled one leaves", t_text(t_add),
		  T_ADD_FIRST);
	EXPECT_EQ("K-EN-04", "enable the first", enable_kprobe(&p), 0);
	t_reset();
	t_add(1, 1);
	EXPECT("K-EN-04", "it is called", t_counts.pre == 1 &&
	       t_counts.who == &p);
	unregister_kprobe(&p);
}

static void changed_structs(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };

	t_register(&p);
	p.symbol_name = "t_inner";
	unregister_kprobe(&p);
	EXPECT_EQ("K-UNR-08", "symbol_name does not matter", t_text(t_add),
		  T_ADD_FIRST);
	p = (struct kprobe){ .symbol_name = "t_add", .pre_handler = t_pre };
	t_register(&p);
	unregister_kprobe(NULL);
	EXPECT_EQ("K-UNR-15", "NULL is ignored", t_text(t_add), T_BP);
	unregister_kprobe(&p);
}

/* K-UNR-09: the address that was changed is the user's problem alone. */
static void changed_address(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };

	t_register(&p);
	p.addr = T_AT(t_inner, 0);
	unregister_kprobe(&p);
	EXPECT("K-UNR-09", "a changed addr becomes NULL", !p.addr);
	EXPECT_EQ("K-UNR-09", "its new place is untouched", t_text(t_inner),
		  T_NOP);
	t_reset();
	EXPECT_EQ("K-UNR-09", "lifted: the registration does not leak",
		  t_text(t_add), T_ADD_FIRST);
	t_add(1, 1);
	EXPECT_EQ("K-UNR-09", "no handler runs", t_counts.pre, 0);
}

/* K-UNR-01: one is a batch of one. */
static void one_is_a_batch(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe q = p, never = p, never2 = p;
	struct kprobe *batch[] = { &q }, *batch2[] = { &never2 };

	never.addr = never2.addr = T_AT(t_after, 0);
	t_register(&p);
	t_register(&q);
	unregister_kprobe(&p);
	unregister_kprobes(batch, 1);
	EXPECT("K-UNR-01", "the same end for both",
	       p.addr == q.addr && p.flags == q.flags &&
	       p.nmissed == q.nmissed && p.opcode == q.opcode &&
	       t_text(t_add) == T_ADD_FIRST);
	unregister_kprobe(&never);
	unregister_kprobes(batch2, 1);
	EXPECT("K-UNR-01", "also for what is not registered",
	       !never.addr && !never2.addr && never.flags == never2.flags);
}

/* K-EN-11 */
static int pre_calls_inner(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_inner(1);
	return 0;
}

static void frozen_misses(void)
{
	struct kprobe p = { .symbol_name = "t_add",
			    .pre_handler = pre_calls_inner };
	struct kprobe q = { .symbol_name = "t_inner", .pre_handler = t_pre };

	t_register(&p);
	t_register(&q);
	t_add(1, 1);
	disable_kprobe(&q);
	t_add(1, 1);
	t_inner(1);
	EXPECT_EQ("K-EN-11", "disabled: nmissed stays", q.nmissed, 1);
	enable_kprobe(&q);
	EXPECT_EQ("K-EN-11", "enabled: it is not reset", q.nmissed, 1);
	t_add(1, 1);
	EXPECT_EQ("K-EN-11", "and counts again", q.nmissed, 2);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

/* K-INV-06 */
static void many_times(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	int i, ok = 1;

	t_reset();
	for (i = 0; i < 300; i++) {
		p.addr = NULL;
		p.flags = 0;
		ok &= !register_kprobe(&p) && t_add(1, i) == 1 + i;
		unregister_kprobe(&p);
	}
	EXPECT("K-INV-06", "300 times register, hit, unregister",
	       ok && t_counts.pre == 300);
}

/* K-UNR-02: a handler that is running is waited for. */
static int entered, left, seen;

static int pre_slow(struct kprobe *p, struct pt_regs *regs)
{
	volatile unsigned long i;

	(void)p;
	(void)regs;
	__atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < (T_IN_KERNEL ? 2000000 : 30000000); i++)
		;
	__atomic_store_n(&left, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static struct kprobe slow;

static void hit_or_remove(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 2;
	int waited = 0;

	(void)arg;
	if (!me) {
		t_add(1, 1);
		return;
	}
	while (!__atomic_load_n(&entered, __ATOMIC_SEQ_CST) && waited++ < T_PATIENCE_MS)
		t_sleep_ms(1);
	unregister_kprobe(&slow);
	seen = __atomic_load_n(&left, __ATOMIC_SEQ_CST);
}

static void waits_for_handlers(void)
{
	slow = (struct kprobe){ .symbol_name = "t_add",
				.pre_handler = pre_slow };
	t_register(&slow);
	entered = left = seen = 0;
	t_threads(2, hit_or_remove, NULL);
	EXPECT("K-UNR-02", "unregister waits for a running handler",
	       entered && seen);
}

/* K-EN-05: disable does not wait for a handler; text is not changed here. */
static struct kprobe waiting, companion;
static int disabled_now, handler_saw;

static int pre_waits_for_disable(struct kprobe *p, struct pt_regs *regs)
{
	long spins = 0;

	(void)p;
	(void)regs;
	__atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&disabled_now, __ATOMIC_SEQ_CST) &&
	       spins++ < T_SPINS)
		t_relax();
	handler_saw = __atomic_load_n(&disabled_now, __ATOMIC_SEQ_CST);
	return 0;
}

static void hit_or_disable(void *arg)
{
	static int turn;
	long waited = 0;

	(void)arg;
	if (!(__atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 2)) {
		t_add(1, 1);
		return;
	}
	while (!__atomic_load_n(&entered, __ATOMIC_SEQ_CST) &&
	       waited++ < T_SPINS)
		t_breathe();
	disable_kprobe(&waiting);
	__atomic_store_n(&disabled_now, 1, __ATOMIC_SEQ_CST);
}

static void does_not_wait_for_handlers(void)
{
	int tries;

	if (T_ALONE()) {
		SKIP("K-EN-05", "no other thread while a handler runs");
		return;
	}
	waiting = (struct kprobe){ .symbol_name = "t_add",
				   .pre_handler = pre_waits_for_disable };
	companion = (struct kprobe){ .symbol_name = "t_add" };
	t_register(&companion);
	t_register(&waiting);
	handler_saw = 0;
	for (tries = 0; tries < T_TRIES && !handler_saw; tries++) {
		enable_kprobe(&waiting);
		entered = disabled_now = 0;
		t_threads(2, hit_or_disable, NULL);
	}
	EXPECT("K-EN-05", "disable returns while a handler runs",
	       entered && handler_saw);
	EXPECT("K-EN-05", "and has disabled", kprobe_disabled(&waiting));
	unregister_kprobe(&waiting);
	unregister_kprobe(&companion);
}

void t_switching(void)
{
	changed_address();
	one_is_a_batch();
	frozen_misses();
	does_not_wait_for_handlers();
	not_registered();
	on_and_off();
	beside_another();
	changed_structs();
	many_times();
	waits_for_handlers();
}
