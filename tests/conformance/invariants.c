/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * invariants.c - K-INV: hits are neither lost nor counted twice while probes
 * come and go, and the text is pristine afterwards.
 */
#include "harness.h"

#define ROUNDS (T_IN_KERNEL ? 200 : 1500)
#define CALLS (T_IN_KERNEL ? 2000 : 20000)

static long wrong, hits, running;

static int pre_count(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static struct kprobe steady, flicker;

/* Threads 0 and 1 call; the others register and toggle beside them. */
static void call_or_change(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 4;
	struct kprobe mine = { .pre_handler = t_pre };
	long i;

	(void)arg;
	if (me < 2) {
		for (i = 0; i < CALLS; i++)
			if (t_add(i, me) != i + me)
				__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
		return;
	}
	for (i = 0; i < ROUNDS; i++) {
		if (!__atomic_load_n(&running, __ATOMIC_SEQ_CST))
			break;
		if (me == 2) {
			disable_kprobe(&flicker);
			enable_kprobe(&flicker);
			continue;
		}
		mine.addr = T_AT(t_add, (i & 1) ? T_ADD_LEA : T_ADD_MOV);
		mine.flags = 0;
		if (register_kprobe(&mine))
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		unregister_kprobe(&mine);
	}
}

static void nothing_is_lost(void)
{
	steady = (struct kprobe){ .addr = T_AT(t_add, T_ADD_LEA),
				  .pre_handler = pre_count };
	flicker = (struct kprobe){ .addr = T_AT(t_add, T_ADD_LEA),
				   .pre_handler = t_pre };
	wrong = hits = 0;
	running = 2;
	EXPECT_EQ("K-INV-01", "register the steady one", t_register(&steady),
		  0);
	EXPECT_EQ("K-INV-01", "register the flickering one",
		  t_register(&flicker), 0);
	t_threads(4, call_or_change, NULL);
	unregister_kprobe(&flicker);
	unregister_kprobe(&steady);
	EXPECT_EQ("K-INV-07", "no wrong result, no failed call", wrong, 0);
	EXPECT_EQ("K-INV-01", "hits + nmissed == calls",
		  hits + (long)steady.nmissed, 2l * CALLS);
	EXPECT("K-INV-05", "the text is restored",
	       t_text(t_add) == T_ADD_FIRST &&
	       t_text(T_AT(t_add, T_ADD_LEA)) == T_ADD_THIRD &&
	       t_text(T_AT(t_add, T_ADD_MOV)) == T_ADD_SECOND);
}

/* K-INV-08 */
static struct kprobe both[2];
static int both_err;

static void register_mine(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 2;

	(void)arg;
	both[me].symbol_name = "t_inner";
	both[me].pre_handler = pre_count;
	if (register_kprobe(&both[me]))
		both_err++;
}

static void concurrent_registration(void)
{
	int i, ok = 0;

	for (i = 0; i < 20; i++) {
		memset(both, 0, sizeof(both));
		both_err = 0;
		hits = 0;
		t_threads(2, register_mine, NULL);
		t_inner(1);
		ok += !both_err && hits == 2;
		unregister_kprobe(&both[0]);
		unregister_kprobe(&both[1]);
	}
	EXPECT_EQ("K-INV-08", "two at once, both are live", ok, 20);
	EXPECT_EQ("K-INV-05", "restored", t_text(t_inner), T_NOP);
}

/* ---- children that come and go under hits -------------------------------------- */

struct short_lived {
	struct kprobe kp;
	int alive;
};

static long after_death;

static int pre_alive(struct kprobe *p, struct pt_regs *regs)
{
	struct short_lived *own = (struct short_lived *)(void *)p;

	(void)regs;
	if (!__atomic_load_n(&own->alive, __ATOMIC_SEQ_CST))
		__atomic_fetch_add(&after_death, 1, __ATOMIC_RELAXED);
	return 0;
}

/*
 * Thread 0 adds and removes children of one address, thread 1 arms and disarms
 * another, so that traps are taken whose breakpoint goes; two threads call.
 */
static void come_and_go(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 4;
	struct short_lived mine = { .kp.pre_handler = pre_alive };
	long i;

	(void)arg;
	for (i = 0; me < 2 && i < CALLS; i++)
		if (t_add(i, me) != i + me || t_inner(i) != i + 1)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	if (me < 2)
		__atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
	for (i = 0; me >= 2 && i < 4 * ROUNDS; i++) {
		if (!__atomic_load_n(&running, __ATOMIC_SEQ_CST))
			break;
		mine.kp.addr = me == 2 ? T_AT(t_add, T_ADD_LEA) :
					 T_AT(t_inner, 0);
		mine.kp.flags = 0;
		__atomic_store_n(&mine.alive, 1, __ATOMIC_SEQ_CST);
		if (register_kprobe(&mine.kp))
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		unregister_kprobe(&mine.kp);
		__atomic_store_n(&mine.alive, 0, __ATOMIC_SEQ_CST);
	}
}

static void consistent_lists(void)
{
	steady = (struct kprobe){ .addr = T_AT(t_add, T_ADD_LEA),
				  .pre_handler = pre_count };
	wrong = hits = after_death = 0;
	running = 2;
	t_register(&steady);
	t_threads(4, come_and_go, NULL);
	unregister_kprobe(&steady);
	EXPECT_EQ("K-HIT-21", "every hit found the child that stayed",
		  hits + (long)steady.nmissed, 2l * CALLS);
	EXPECT_EQ("K-HIT-21", "no child was called after it was gone",
		  after_death, 0);
	EXPECT_EQ("K-HIT-25 K-UNR-14",
		  "traps whose breakpoint went away were retried", wrong, 0);
}

/* ---- return probes ------------------------------------------------------------------ */

static long entered, returned, misordered;

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(long *)(void *)ri->data = (long)t_arg(regs, 0);
	__atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	/* t_inner(a) == a + 1, and a was kept by this very call's entry. */
	if ((long)regs_return_value(regs) != *(long *)(void *)ri->data + 1)
		__atomic_fetch_add(&misordered, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&returned, 1, __ATOMIC_RELAXED);
	return 0;
}

#define RET_CALLS (T_IN_KERNEL ? 2000 : 10000)

static void call_inner(void *arg)
{
	long i;

	(void)arg;
	for (i = 0; i < RET_CALLS; i++)
		if (t_inner(i) != i + 1)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static int pre_calls_inner(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_inner(1);
	return 0;
}

static void entries_and_returns(void)
{
	struct kretprobe rp = { .kp.symbol_name = "t_inner",
				.entry_handler = on_entry,
				.handler = on_return, .maxactive = 2,
				.data_size = sizeof(long) };
	struct kprobe p = { .symbol_name = "t_add",
			    .pre_handler = pre_calls_inner };
	int i;

	wrong = entered = returned = misordered = 0;
	EXPECT_EQ("K-INV-03", "register", register_kretprobe(&rp), 0);
	t_register(&p);
	t_threads(4, call_inner, NULL);
	for (i = 0; i < 10; i++)
		t_add(i, i);
	unregister_kprobe(&p);
	unregister_kretprobe(&rp);
	EXPECT("K-INV-03", "a return for each accepted entry, of that call",
	       entered && entered == returned && !misordered && !wrong);
	EXPECT_EQ("K-INV-04", "calls == entries + both nmissed",
		  entered + rp.nmissed + (long)rp.kp.nmissed,
		  4l * RET_CALLS + 10);
	EXPECT_EQ("K-INV-04", "ten of them missed in handlers", rp.kp.nmissed,
		  10);
}

/* K-INV-11 */
static struct kprobe inner, outer;
static long decreased;

static void miss_or_watch(void *arg)
{
	static int turn;
	int me = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 4;
	unsigned long last = 0, now;
	long i;

	(void)arg;
	for (i = 0; me < 2 && i < RET_CALLS; i++)
		t_add(i, 1);
	if (me < 2)
		__atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
	while (me >= 2 && __atomic_load_n(&running, __ATOMIC_SEQ_CST)) {
		now = __atomic_load_n(&inner.nmissed, __ATOMIC_SEQ_CST);
		decreased += now < last;
		last = now;
		t_breathe();
		if (me == 3) {
			disable_kprobe(&inner);
			enable_kprobe(&inner);
		}
	}
}

static void misses_only_grow(void)
{
	inner = (struct kprobe){ .symbol_name = "t_inner" };
	outer = (struct kprobe){ .symbol_name = "t_add",
				 .pre_handler = pre_calls_inner };
	t_register(&inner);
	t_register(&outer);
	decreased = 0;
	running = 2;
	t_threads(4, miss_or_watch, NULL);
	EXPECT_EQ("K-INV-11", "nmissed never decreases", decreased, 0);
	EXPECT("K-INV-11", "and grew", inner.nmissed > 0);
	unregister_kprobe(&inner);
	EXPECT("K-INV-11", "unregistering does not reset it", inner.nmissed);
	inner.addr = NULL;
	inner.flags = 0;
	t_register(&inner);
	EXPECT_EQ("K-INV-11", "registering does", inner.nmissed, 0);
	unregister_kprobe(&inner);
	unregister_kprobe(&outer);
}

void t_invariants(void)
{
	consistent_lists();
	entries_and_returns();
	misses_only_grow();
	nothing_is_lost();
	concurrent_registration();
}
