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
	       t_text(t_add) == 0x55 &&
	       t_text(T_AT(t_add, T_ADD_LEA)) == 0x48 &&
	       t_text(T_AT(t_add, T_ADD_MOV)) == 0x48);
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
	EXPECT_EQ("K-INV-05", "restored", t_text(t_inner), 0x90);
}

void t_invariants(void)
{
	nothing_is_lost();
	concurrent_registration();
}
