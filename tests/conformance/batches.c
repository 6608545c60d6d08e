/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* batches.c - K-REG-70 to 76 and K-UNR for batches. */
#include "harness.h"

static struct kprobe a, b, c;
static struct kprobe *all[] = { &a, &b, &c };

static void fill(void)
{
	a = (struct kprobe){ .symbol_name = "t_add", .pre_handler = t_pre };
	b = (struct kprobe){ .symbol_name = "t_add", .offset = T_ADD_LEA,
			     .pre_handler = t_pre };
	c = (struct kprobe){ .symbol_name = "t_inner", .pre_handler = t_pre };
}

static void all_or_none(void)
{
	fill();
	EXPECT_EQ("K-REG-71", "a good batch", register_kprobes(all, 3), 0);
	t_reset();
	EXPECT_EQ("K-REG-71", "works", t_add(1, 2) + t_inner(1), 5);
	EXPECT_EQ("K-REG-71", "all are live", t_counts.pre, 3);
	unregister_kprobes(all, 3);
	t_reset();
	t_add(1, 2);
	t_inner(1);
	EXPECT_EQ("K-UNR-02", "none after unregister", t_counts.pre, 0);
	EXPECT("K-UNR-11", "the text is restored",
	       t_text(t_add) == T_ADD_FIRST && t_text(T_AT(t_add, T_ADD_LEA)) == T_ADD_THIRD &&
	       t_text(t_inner) == T_NOP);

	fill();
	c.symbol_name = "t_no_such_symbol";
	EXPECT_EQ("K-REG-71", "a bad last entry gives its errno",
		  register_kprobes(all, 3), -ENOENT);
	EXPECT("K-REG-71", "the others are not armed",
	       t_text(t_add) == T_ADD_FIRST &&
	       t_text(T_AT(t_add, T_ADD_LEA)) == T_ADD_THIRD);
	EXPECT("K-REG-72", "their addr stays, DISABLED is set",
	       a.addr && b.addr && (a.flags & KPROBE_FLAG_DISABLED) &&
	       (b.flags & KPROBE_FLAG_DISABLED));
	EXPECT("K-REG-72", "the failing one follows K-REG-03", !c.addr);
	EXPECT_EQ("K-EN-01", "none of them is registered", disable_kprobe(&a),
		  -EINVAL);

	fill();
	a.offset = 2;
	EXPECT_EQ("K-REG-71", "a bad first entry", register_kprobes(all, 3),
		  -EILSEQ);
	EXPECT("K-REG-72", "later elements are untouched", !b.addr && !c.addr);

	fill();
	all[2] = &a;
	EXPECT_EQ("K-REG-73", "the same struct twice",
		  register_kprobes(all, 3), -EINVAL);
	all[2] = &c;
	EXPECT_EQ("K-REG-73", "is rolled back", t_text(t_add), T_ADD_FIRST);
	EXPECT_EQ("K-REG-73", "and not registered", disable_kprobe(&a),
		  -EINVAL);
}

static void odd_arguments(void)
{
	EXPECT_EQ("K-REG-70", "num 0", register_kprobes(all, 0), -EINVAL);
	EXPECT_EQ("K-REG-70", "num -1", register_kprobes(all, -1), -EINVAL);
	EXPECT_EQ("K-REG-70", "num 0, NULL array", register_kprobes(NULL, 0),
		  -EINVAL);
	fill();
	all[1] = NULL;
	EXPECT_EQ("K-REG-74", "a NULL element", register_kprobes(all, 3),
		  -EINVAL);
	EXPECT_EQ("K-REG-74", "is rolled back", t_text(t_add), T_ADD_FIRST);
	all[1] = &b;
	unregister_kprobes(NULL, 0);
	unregister_kprobes(NULL, -1);
	unregister_kprobes(all, -1);
	EXPECT("K-UNR-06", "unregister with num <= 0 does nothing",
	       all[0] == &a && all[1] == &b);
}

static void bad_entries_in_unregister(void)
{
	struct kprobe never = { .addr = T_AT(t_after, 0) };

	fill();
	EXPECT_EQ("K-UNR-05", "register two", register_kprobes(all, 2), 0);
	all[2] = &never;
	unregister_kprobes(all, 3);
	all[2] = &c;
	EXPECT("K-UNR-05", "the bad one gets addr = NULL", !never.addr);
	EXPECT("K-UNR-05", "the good ones keep addr", a.addr && b.addr);
	EXPECT_EQ("K-UNR-05", "and are unregistered", t_text(t_add), T_ADD_FIRST);

	fill();
	EXPECT_EQ("K-UNR-15", "register three", register_kprobes(all, 3), 0);
	all[1] = NULL;
	unregister_kprobes(all, 3);
	all[1] = &b;
	EXPECT("K-UNR-15", "a NULL entry is ignored",
	       t_text(t_add) == T_ADD_FIRST && t_text(t_inner) == T_NOP);
	EXPECT_EQ("K-UNR-15", "and stays registered what was not named",
		  t_text(T_AT(t_add, T_ADD_LEA)), T_BP);
	unregister_kprobe(&b);
	EXPECT_EQ("K-UNR-11", "restored", t_text(T_AT(t_add, T_ADD_LEA)), T_ADD_THIRD);
}

static void large(void)
{
	static const int offsets[] = { T_ADD_PUSH, T_ADD_MOV, T_ADD_LEA,
				       T_ADD_POP, T_ADD_RET };
	int nr = 200, i;
	struct kprobe *kps = t_alloc((unsigned long)nr * sizeof(*kps));
	struct kprobe **list = t_alloc((unsigned long)nr * sizeof(*list));

	for (i = 0; i < nr; i++) {
		kps[i].addr = T_AT(t_add, offsets[i % 5]);
		kps[i].pre_handler = t_pre;
		list[i] = &kps[i];
	}
	EXPECT_EQ("K-REG-71", "200 probes on every instruction of a function",
		  register_kprobes(list, nr), 0);
	t_reset();
	EXPECT_EQ("K-HIT-34", "which still works", t_add(30, 12), 42);
	EXPECT_EQ("K-REG-71", "all are hit", t_counts.pre, nr);
	unregister_kprobes(list, nr);
	EXPECT_EQ("K-HIT-34", "and works after", t_add(30, 12), 42);
	EXPECT_EQ("K-INV-05", "restored", t_text(t_add), T_ADD_FIRST);
	t_free(kps);
	t_free(list);
}

/* ---- byte for byte -------------------------------------------------------- */

#define SPAN (160 / sizeof(t_word))

static t_word pristine[SPAN];

static int changed_bytes(void)
{
	unsigned int i;
	int nr = 0;

	for (i = 0; i < SPAN; i++)
		nr += t_text(T_AT(t_add, i * sizeof(t_word))) != pristine[i];
	return nr;
}

/* The last of many is bad, in each way. */
static void a_bad_last_entry(void)
{
	static struct kprobe kps[6];
	static const unsigned int at[] = { T_ADD_PUSH, T_ADD_MOV, T_ADD_LEA,
					   T_ADD_POP, T_ADD_RET };
	static const struct {
		struct kprobe bad;
		int err;
	} ways[] = {
		{ { .symbol_name = "t_no_such_symbol" }, -ENOENT },
		{ { .symbol_name = "t_add", .offset = T_ADD_INSIDE }, -EILSEQ },
		{ { .symbol_name = "t_data" }, -EINVAL },
		{ { .symbol_name = "t_iretq", .offset = T_REFUSED_AT }, -EOPNOTSUPP },
		{ { .symbol_name = "t_marked" }, -EINVAL },
		{ { .symbol_name = "t_int3", .offset = T_REFUSED_AT }, -EINVAL },
		{ { .offset = 0 }, -EINVAL },
	};
	struct kprobe *list[6];
	unsigned int way, i;

	for (i = 0; i < SPAN; i++)
		pristine[i] = t_text(T_AT(t_add, i * sizeof(t_word)));
	for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		for (i = 0; i < 5; i++) {
			kps[i] = (struct kprobe){ .symbol_name = "t_add",
						  .offset = at[i],
						  .pre_handler = t_pre };
			list[i] = &kps[i];
		}
		kps[5] = ways[way].bad;
		list[5] = &kps[5];
		EXPECT_EQ("K-REG-71", "a bad last entry",
			  register_kprobes(list, 6), ways[way].err);
		EXPECT_EQ("K-REG-71", "leaves the text byte for byte",
			  changed_bytes(), 0);
		t_reset();
		EXPECT("K-REG-71", "and nothing registered",
		       t_add(2, 3) == 5 && !t_counts.pre &&
		       disable_kprobe(&kps[0]) == -EINVAL);
	}
	EXPECT_EQ("K-REG-16", "again, without the bad one: both are given",
		  register_kprobes(list, 5), -EINVAL);
	for (i = 0; i < 5; i++) {
		kps[i].addr = NULL;
		kps[i].flags = 0;
	}
	t_breakpoints_only(1);
	EXPECT_EQ("K-REG-81", "once the structs are fresh again",
		  register_kprobes(list, 5), 0);
	EXPECT_EQ("K-REG-71", "five bytes are breakpoints", changed_bytes(),
		  5);
	t_breakpoints_only(0);
	unregister_kprobes(list, 5);
	EXPECT_EQ("K-INV-05", "and none", changed_bytes(), 0);
}

/* K-REG-76: while a batch comes and goes, calls see any part of it. */
static long batch_wrong, batch_hits, batch_running;

static int pre_hits(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&batch_hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static void call_or_register(void *arg)
{
	static int turn;
	int i;

	(void)arg;
	if (__atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST) % 3) {
		while (__atomic_load_n(&batch_running, __ATOMIC_SEQ_CST)) {
			if (t_add(30, 12) != 42 || t_inner(1) != 2)
				batch_wrong++;
			t_breathe();
		}
		return;
	}
	for (i = 0; i < (T_IN_KERNEL ? 50 : 500); i++) {
		fill();
		a.pre_handler = b.pre_handler = c.pre_handler = pre_hits;
		if (register_kprobes(all, 3))
			batch_wrong++;
		if (i % 16 == 0)
			t_sleep_ms(1);
		unregister_kprobes(all, 3);
	}
	__atomic_store_n(&batch_running, 0, __ATOMIC_SEQ_CST);
}

static void one_by_one(void)
{
	batch_wrong = batch_hits = 0;
	batch_running = 1;
	t_threads(3, call_or_register, NULL);
	EXPECT("K-REG-76", "calls while batches come and go hit some of them",
	       batch_hits > 0);
	EXPECT_EQ("K-REG-76", "and are right", batch_wrong, 0);
}

/* K-UNR-07: one wait for all. */
static void one_grace_period(void)
{
	int nr = 200, i, round;
	struct kprobe *kps = t_alloc((unsigned long)nr * sizeof(*kps));
	struct kprobe **list = t_alloc((unsigned long)nr * sizeof(*list));
	unsigned long took, best[2] = { ~0ul, ~0ul };

	/* The best of each; on a busy machine that takes more rounds. */
	for (round = 0; round < 10 || (round < 100 && best[1] * 4 >= best[0]);
	     round++) {
		for (i = 0; i < nr; i++) {
			kps[i].symbol_name = NULL;
			kps[i].addr = T_AT(t_add, i % 2 ? T_ADD_LEA : T_ADD_MOV);
			kps[i].flags = 0;
			list[i] = &kps[i];
		}
		register_kprobes(list, nr);
		took = t_clock();
		if (round % 2)
			unregister_kprobes(list, nr);
		for (i = 0; !(round % 2) && i < nr; i++)
			unregister_kprobe(list[i]);
		took = t_clock() - took;
		if (took < best[round % 2])
			best[round % 2] = took;
	}
	EXPECT("K-UNR-07", "200 in a batch take a fraction of one by one",
	       best[1] * 4 < best[0]);
	if (best[1] * 4 >= best[0])
		t_print("# one by one %lu, in a batch %lu", best[0], best[1]);
	t_free(kps);
	t_free(list);
}

void t_batches(void)
{
	a_bad_last_entry();
	one_by_one();
	one_grace_period();
	all_or_none();
	odd_arguments();
	bad_entries_in_unregister();
	large();
}
