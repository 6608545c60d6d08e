/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* reentry.c - K-REE: probes that are hit while a handler runs. */
#include "harness.h"

static long inner_result;

static int pre_calls_inner(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_counts.fault++;
	inner_result = t_inner(10);
	return 0;
}

static int pre_calls_twice(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	inner_result = t_inner(10) + t_inner(20);
	return 0;
}

static void post_calls_inner(struct kprobe *p, struct pt_regs *regs,
			     unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	inner_result = t_inner(10);
}

static struct kprobe outer, inner;

static void start(kprobe_pre_handler_t pre, kprobe_post_handler_t post)
{
	outer = (struct kprobe){ .symbol_name = "t_add", .pre_handler = pre,
				 .post_handler = post };
	inner = (struct kprobe){ .symbol_name = "t_inner",
				 .pre_handler = t_pre, .post_handler = t_post };
	t_register(&outer);
	t_register(&inner);
	inner_result = 0;
	t_reset();
}

static void stop(void)
{
	unregister_kprobe(&outer);
	unregister_kprobe(&inner);
}

static void from_handlers(void)
{
	start(pre_calls_inner, NULL);
	EXPECT_EQ("K-REE-01", "outer function", t_add(1, 2), 3);
	EXPECT_EQ("K-REE-01", "the instruction still executes", inner_result,
		  11);
	EXPECT("K-REE-01", "its handlers do not run",
	       !t_counts.pre && !t_counts.post);
	EXPECT_EQ("K-REE-01", "its nmissed counts", inner.nmissed, 1);
	EXPECT_EQ("K-REE-02", "the outer nmissed does not", outer.nmissed, 0);
	t_inner(1);
	EXPECT("K-REE-01", "outside a handler it works",
	       t_counts.pre == 1 && t_counts.post == 1 && inner.nmissed == 1);
	stop();
	EXPECT_EQ("K-REG-83", "nmissed survives unregister", inner.nmissed, 1);

	start(NULL, post_calls_inner);
	EXPECT_EQ("K-REE-03", "from a post handler", t_add(1, 2), 3);
	EXPECT("K-REE-03", "missed and executed",
	       inner.nmissed == 1 && inner_result == 11 && !t_counts.pre);
	stop();

	start(pre_calls_twice, NULL);
	t_add(1, 2);
	EXPECT("K-REE-04", "two hits count two",
	       inner.nmissed == 2 && inner_result == 32);
	stop();
}

static void every_child(void)
{
	struct kprobe other = { .symbol_name = "t_inner",
				.pre_handler = t_pre };
	struct kprobe off = { .symbol_name = "t_inner", .pre_handler = t_pre,
			      .flags = KPROBE_FLAG_DISABLED };

	start(pre_calls_inner, NULL);
	t_register(&other);
	t_register(&off);
	t_add(1, 2);
	EXPECT("K-REE-05", "every child counts, disabled ones too",
	       inner.nmissed == 1 && other.nmissed == 1 && off.nmissed == 1);
	disable_kprobe(&inner);
	disable_kprobe(&other);
	t_add(1, 2);
	EXPECT("K-REE-08", "not when all are disabled",
	       inner.nmissed == 1 && off.nmissed == 1);
	unregister_kprobe(&other);
	unregister_kprobe(&off);
	stop();
}

/* A handler that calls the function that it probes. */
static int pre_self(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_counts.pre++;
	inner_result = t_add(100, 1);
	return 0;
}

static void itself(void)
{
	static const int offsets[] = { T_ADD_PUSH, T_ADD_MOV, T_ADD_LEA,
				       T_ADD_POP, T_ADD_RET };
	int i;

	for (i = 0; i < 5; i++) {
		outer = (struct kprobe){ .symbol_name = "t_add",
					 .offset = (unsigned int)offsets[i],
					 .pre_handler = pre_self,
					 .post_handler = t_post };
		if (t_register(&outer))
			continue;
		t_reset();
		inner_result = 0;
		EXPECT_EQ("K-REE-10", "the outer state survives", t_add(4, 5),
			  9);
		EXPECT("K-REE-01", "its own nested hit is missed",
		       t_counts.pre == 1 && t_counts.post == 1 &&
		       outer.nmissed == 1 && inner_result == 101);
		unregister_kprobe(&outer);
	}
}

/* K-REE-15: a probe on what its own handler calls. */
static __attribute__((__noinline__, __noclone__)) long helper(long a)
{
	__asm__ volatile("");
	return a + 5;
}

static int pre_helps(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	t_counts.pre++;
	inner_result = helper(10) + helper(20);
	return 0;
}

static void helpers(void)
{
	struct kprobe p = { .addr = T_AT(helper, 0), .pre_handler = pre_helps };

	t_register(&p);
	t_reset();
	EXPECT_EQ("K-REE-15", "a function that its handler calls", helper(1),
		  6);
	EXPECT("K-REE-15", "the handler's own calls are misses",
	       t_counts.pre == 1 && p.nmissed == 2 && inner_result == 40);
	unregister_kprobe(&p);
}

/* ---- deeper ---------------------------------------------------------------- */

static struct kprobe every[5];

static int pre_adds(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	inner_result = t_add(30, 4);
	return 0;
}

/* K-REE-13: one missed hit after the other, then the outer step goes on. */
static void a_row_of_misses(void)
{
	static const int offsets[] = { T_ADD_PUSH, T_ADD_MOV, T_ADD_LEA,
				       T_ADD_POP, T_ADD_RET };
	struct kprobe p = { .symbol_name = "t_load", .pre_handler = pre_adds,
			    .post_handler = t_post };
	unsigned long missed = 0;
	int i, err = 0;

	t_data[0] = 4711;
	for (i = 0; i < 5; i++) {
		every[i] = (struct kprobe){ .addr = T_AT(t_add, offsets[i]),
					    .pre_handler = t_pre,
					    .post_handler = t_post };
		err |= t_register(&every[i]);
	}
	err |= t_register(&p);
	t_reset();
	EXPECT_EQ("K-REE-13", "five missed hits in a row", t_load(t_data),
		  4711);
	for (i = 0; i < 5; i++)
		missed += every[i].nmissed;
	EXPECT("K-REE-13", "each counted, each executed",
	       !err && missed == 5 && inner_result == 34 && !t_counts.pre);
	EXPECT("K-REE-13", "the outer step ends as ever",
	       t_counts.post == 1 && t_counts.who == &p &&
	       T_IP(t_counts.post_regs) == T_CODE(t_load) + T_LOAD_RET &&
	       T_RESULT(t_counts.post_regs) == 4711);
	unregister_kprobe(&p);
	for (i = 0; i < 5; i++)
		unregister_kprobe(&every[i]);
}

/*
 * K-REE-11: t_add's handler calls t_load, probed, which faults; the fault
 * handler calls t_inner, probed.  Three levels, and each one goes on.
 */
static int fault_repairs(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	(void)p;
	(void)trapnr;
	t_counts.fault++;
	inner_result = t_inner(50);
	t_set_held(regs, (unsigned long)t_data);
	return 1;
}

static long loaded;

static int pre_loads(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	loaded = t_load(t_bad_address);
	return 0;
}

static void three_levels(void)
{
	struct kprobe second = { .symbol_name = "t_load", .pre_handler = t_pre,
				 .post_handler = t_post };

	t_data[0] = 99;
	start(pre_loads, NULL);
	outer.fault_handler = fault_repairs;
	t_register(&second);
	loaded = 0;
	EXPECT_EQ("K-REE-11", "three levels deep", t_add(1, 2), 3);
	EXPECT("K-REE-11", "the second level faulted and was repaired",
	       t_counts.fault == 1 && loaded == 99);
	EXPECT("K-REE-11", "the third level was executed",
	       inner_result == 51 && inner.nmissed == 1);
	EXPECT("K-REE-11", "no handler ran but the outer one's",
	       !t_counts.pre && !t_counts.post && second.nmissed >= 1);
	unregister_kprobe(&second);
	stop();
}

/* ---- other contexts ---------------------------------------------------------- */

/*
 * K-REE-07: a handler runs in one thread while another thread hits another
 * probe: that is no recursion, and nothing is missed.
 */
static int other_hit, outer_waits, both_ran;

static int pre_waits(struct kprobe *p, struct pt_regs *regs)
{
	long spins = 0;

	(void)p;
	(void)regs;
	__atomic_store_n(&outer_waits, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&other_hit, __ATOMIC_SEQ_CST) &&
	       spins++ < T_SPINS)
		t_relax();
	both_ran = __atomic_load_n(&other_hit, __ATOMIC_SEQ_CST);
	return 0;
}

static int pre_tells(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_store_n(&other_hit, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void hit_either(void *arg)
{
	static int turn;
	long waited = 0;

	(void)arg;
	if (__atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 2) {
		while (!__atomic_load_n(&outer_waits, __ATOMIC_SEQ_CST) &&
		       waited++ < T_SPINS)
			t_breathe();
		t_inner(1);
	} else {
		t_add(1, 1);
	}
}

static void other_threads(void)
{
	int tries;

	if (T_ALONE()) {
		SKIP("K-REE-07", "no other thread while a handler runs");
		return;
	}
	start(pre_waits, NULL);
	inner.pre_handler = pre_tells;
	both_ran = 0;
	for (tries = 0; tries < T_TRIES && !both_ran; tries++) {
		other_hit = outer_waits = 0;
		t_threads(2, hit_either, NULL);
	}
	EXPECT("K-REE-07", "a hit beside another thread's handler is a hit",
	       both_ran && !inner.nmissed && !outer.nmissed);
	stop();
}

/* K-REE-09: lifted, concurrent misses are all counted. */
#define MISSES (T_IN_KERNEL ? 1000 : 4000)

static int pre_misses(struct kprobe *p, struct pt_regs *regs)
{
	int i;

	(void)p;
	(void)regs;
	for (i = 0; i < 10; i++)
		t_inner(i);
	return 0;
}

static void miss_often(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < MISSES; i++)
		t_add(i, 1);
}

static void concurrent_misses(void)
{
	start(pre_misses, NULL);
	t_threads(4, miss_often, NULL);
	EXPECT_EQ("K-REE-09", "four threads' misses are all counted",
		  inner.nmissed, 40 * MISSES);
	stop();
}

void t_reentry(void)
{
	from_handlers();
	every_child();
	itself();
	helpers();
	a_row_of_misses();
	three_levels();
	other_threads();
	concurrent_misses();
}
