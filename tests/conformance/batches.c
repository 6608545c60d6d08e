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
	       t_text(t_add) == 0x55 && t_text(T_AT(t_add, T_ADD_LEA)) == 0x48 &&
	       t_text(t_inner) == 0x90);

	fill();
	c.symbol_name = "t_no_such_symbol";
	EXPECT_EQ("K-REG-71", "a bad last entry gives its errno",
		  register_kprobes(all, 3), -ENOENT);
	EXPECT("K-REG-71", "the others are not armed",
	       t_text(t_add) == 0x55 &&
	       t_text(T_AT(t_add, T_ADD_LEA)) == 0x48);
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
	EXPECT_EQ("K-REG-73", "is rolled back", t_text(t_add), 0x55);
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
	EXPECT_EQ("K-REG-74", "is rolled back", t_text(t_add), 0x55);
	all[1] = &b;
	unregister_kprobes(NULL, 0);
	unregister_kprobes(NULL, -1);
	unregister_kprobes(all, -1);
	EXPECT("K-UNR-06", "unregister with num <= 0 does nothing",
	       all[0] == &a && all[1] == &b);
}

static void bad_entries_in_unregister(void)
{
	struct kprobe never = { .addr = T_AT(t_next, 0) };

	fill();
	EXPECT_EQ("K-UNR-05", "register two", register_kprobes(all, 2), 0);
	all[2] = &never;
	unregister_kprobes(all, 3);
	all[2] = &c;
	EXPECT("K-UNR-05", "the bad one gets addr = NULL", !never.addr);
	EXPECT("K-UNR-05", "the good ones keep addr", a.addr && b.addr);
	EXPECT_EQ("K-UNR-05", "and are unregistered", t_text(t_add), 0x55);

	fill();
	EXPECT_EQ("K-UNR-15", "register three", register_kprobes(all, 3), 0);
	all[1] = NULL;
	unregister_kprobes(all, 3);
	all[1] = &b;
	EXPECT("K-UNR-15", "a NULL entry is ignored",
	       t_text(t_add) == 0x55 && t_text(t_inner) == 0x90);
	EXPECT_EQ("K-UNR-15", "and stays registered what was not named",
		  t_text(T_AT(t_add, T_ADD_LEA)), 0xcc);
	unregister_kprobe(&b);
	EXPECT_EQ("K-UNR-11", "restored", t_text(T_AT(t_add, T_ADD_LEA)), 0x48);
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
	EXPECT_EQ("K-INV-05", "restored", t_text(t_add), 0x55);
	t_free(kps);
	t_free(list);
}

void t_batches(void)
{
	all_or_none();
	odd_arguments();
	bad_entries_in_unregister();
	large();
}
