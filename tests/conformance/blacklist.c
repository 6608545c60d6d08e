/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* blacklist.c - K-BLK. */
#include "harness.h"

static __attribute__((__noinline__, __noclone__)) int t_mine(int a)
{
	__asm__ volatile("");
	return a + 1;
}
NOKPROBE_SYMBOL(t_mine);

static __attribute__((__noinline__, __noclone__)) int t_not_mine(int a)
{
	__asm__ volatile("");
	return a + 2;
}

NOKPROBE_SYMBOL(t_marked);
NOKPROBE_SYMBOL(t_sizeless);
NOKPROBE_SYMBOL(t_clone);

/* A mark on what is no function. */
extern long t_marked_data[1];
long t_marked_data[1] = { 5 };
NOKPROBE_SYMBOL(t_marked_data);

static int at(const void *addr)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)addr };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	return err;
}

static int named(const char *name)
{
	struct kprobe p = { .symbol_name = name };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	return err;
}

static int __kprobes __attribute__((__noinline__, __noclone__)) t_placed(int a)
{
	__asm__ volatile("");
	return a + 3;
}

static void every_byte(void)
{
	int i, refused = 0;

	for (i = 0; i < 6; i++)
		refused += at((const char *)t_marked + i) == -EINVAL;
	EXPECT_EQ("K-REG-24 K-BLK-02", "every byte of a listed function",
		  refused, 6);
	EXPECT_EQ("K-REG-24", "but not its neighbour's", at(t_unmarked), 0);
	EXPECT_EQ("K-REG-24", "and by name", named("t_marked"), -EINVAL);
}

static void odd_entries(void)
{
	EXPECT_EQ("K-BLK-03", "marked data harms no other entry", at(t_marked),
		  -EINVAL);
	EXPECT_EQ("K-BLK-03", "nor other functions", at(t_unmarked), 0);
	EXPECT_EQ("K-BLK-04", "a symbol without a size", at(t_sizeless),
		  -EINVAL);
	EXPECT_EQ("K-BLK-05", "a listed function", named("t_clone"), -EINVAL);
	EXPECT_EQ("K-BLK-05", "and its clone", named("t_clone.part.0"),
		  -EINVAL);
	EXPECT_EQ("K-BLK-05", "but not another's clone",
		  named("t_unmarked.part.0"), 0);
}

static void one_by_one(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)t_mine };
	void *listed = t_blacklisted();

	EXPECT_EQ("K-BLK-07", "a function marked NOKPROBE_SYMBOL",
		  register_kprobe(&p), -EINVAL);
	EXPECT("K-BLK-11", "with a reason", p.reason && p.reason[0]);
	EXPECT_EQ("K-BLK-07", "still works", t_mine(1), 2);
	p = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)t_placed,
	};
	EXPECT_EQ("K-BLK-01", "a function marked __kprobes",
		  register_kprobe(&p), -EINVAL);
	EXPECT_EQ("K-BLK-01", "still works", t_placed(1), 4);
	p = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)t_not_mine,
		.pre_handler = t_pre,
	};
	EXPECT_EQ("K-BLK-02", "its neighbour can be probed", t_register(&p),
		  0);
	t_reset();
	EXPECT_EQ("K-BLK-02", "and works", t_not_mine(1), 3);
	EXPECT_EQ("K-BLK-02", "and is hit", t_counts.pre, 1);
	unregister_kprobe(&p);
	p = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)register_kprobe,
	};
	EXPECT_EQ("K-BLK-09", "the engine's own register_kprobe",
		  register_kprobe(&p), -EINVAL);
	p = (struct kprobe){ .addr = t_engine() };
	EXPECT_EQ("K-BLK-09", "the engine's own code", register_kprobe(&p),
		  -EINVAL);
	if (listed) {
		p = (struct kprobe){ .addr = listed };
		EXPECT_EQ("K-BLK-08", "listed from the start",
			  register_kprobe(&p), -EINVAL);
	} else {
		SKIP("K-BLK-08", "nothing is listed from the start");
	}
}

void t_blacklist(void)
{
	every_byte();
	odd_entries();
	one_by_one();
}
