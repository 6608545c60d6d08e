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
	EXPECT_EQ("K-UNR-04", "the text is untouched", t_text(t_add), 0x55);
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
	EXPECT_EQ("K-EN-03", "the trap is gone", t_text(t_add), 0x55);
	EXPECT_EQ("K-EN-02", "disable again", disable_kprobe(&p), 0);
	t_reset();
	EXPECT_EQ("K-INV-02", "works", t_add(1, 1), 2);
	EXPECT_EQ("K-INV-02", "no handler after disable", t_counts.pre, 0);
	EXPECT_EQ("K-EN-02", "enable", enable_kprobe(&p), 0);
	EXPECT("K-EN-04", "DISABLED is cleared", !kprobe_disabled(&p));
	EXPECT_EQ("K-EN-04", "armed again", t_text(t_add), 0xcc);
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
	       p.addr == T_AT(t_add, 0) && t_text(t_add) == 0x55);
}

static void beside_another(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = t_pre };
	struct kprobe q = p;

	t_register(&p);
	t_register(&q);
	disable_kprobe(&p);
	EXPECT_EQ("K-EN-03", "the trap stays for the other", t_text(t_add),
		  0xcc);
	EXPECT("K-EN-04", "only that child is disabled",
	       kprobe_disabled(&p) && !kprobe_disabled(&q));
	t_reset();
	t_add(1, 1);
	EXPECT("K-EN-04", "the other is called",
	       t_counts.pre == 1 && t_counts.who == &q);
	unregister_kprobe(&q);
	EXPECT_EQ("K-UNR-11", "the last enabled one leaves", t_text(t_add),
		  0x55);
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
		  0x55);
	p = (struct kprobe){ .symbol_name = "t_add", .pre_handler = t_pre };
	t_register(&p);
	unregister_kprobe(NULL);
	EXPECT_EQ("K-UNR-15", "NULL is ignored", t_text(t_add), 0xcc);
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
	while (!__atomic_load_n(&entered, __ATOMIC_SEQ_CST) && waited++ < 5000)
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

void t_switching(void)
{
	not_registered();
	on_and_off();
	beside_another();
	changed_structs();
	many_times();
	waits_for_handlers();
}
