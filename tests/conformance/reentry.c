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

static int calls_from_handler[6];

static int pre_api(struct kprobe *p, struct pt_regs *regs)
{
	static struct kprobe other = { .symbol_name = "t_inner2" };

	(void)regs;
	calls_from_handler[0] = register_kprobe(&other);
	calls_from_handler[1] = disable_kprobe(p);
	calls_from_handler[2] = enable_kprobe(p);
	return 0;
}

static void api_from_a_handler(void)
{
	struct kprobe p = { .symbol_name = "t_add", .pre_handler = pre_api };

	if (T_IN_KERNEL)
		return;
	t_register(&p);
	EXPECT_EQ("K-API-17", "the function works", t_add(1, 1), 2);
	EXPECT("K-API-17", "registration calls are refused in a handler",
	       calls_from_handler[0] == -EDEADLK &&
	       calls_from_handler[1] == -EDEADLK &&
	       calls_from_handler[2] == -EDEADLK);
	unregister_kprobe(&p);
}

void t_reentry(void)
{
	from_handlers();
	every_child();
	itself();
	api_from_a_handler();
}
