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

static __kprobes __attribute__((__noinline__, __noclone__)) int t_marked(int a)
{
	__asm__ volatile("");
	return a + 3;
}

void t_blacklist(void)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)(unsigned long)t_mine };
	void *listed = t_blacklisted();

	EXPECT_EQ("K-BLK-07", "a function marked NOKPROBE_SYMBOL",
		  register_kprobe(&p), -EINVAL);
	EXPECT("K-BLK-11", "with a reason", p.reason && p.reason[0]);
	EXPECT_EQ("K-BLK-07", "still works", t_mine(1), 2);
	p = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)t_marked,
	};
	EXPECT_EQ("K-BLK-01", "a function marked __kprobes",
		  register_kprobe(&p), -EINVAL);
	EXPECT_EQ("K-BLK-01", "still works", t_marked(1), 4);
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
