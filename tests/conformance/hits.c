/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* hits.c - K-HIT: what handlers see, what they may change, in which order. */
#include "harness.h"

/* ---- order --------------------------------------------------------------- */

static char order[32];
static int order_len;
static struct kprobe *stop_at;

static void note(char c)
{
	if (order_len < (int)sizeof(order) - 1)
		order[order_len++] = c;
	order[order_len] = 0;
}

static struct kprobe k[3];

static int pre_note(struct kprobe *p, struct pt_regs *regs)
{
	note((char)('A' + (p - k)));
	if (p == stop_at) {
		/* Return to the caller with 99: push has not run yet. */
		t_return_now(regs, 99);
		return 1;
	}
	return 0;
}

static void post_note(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	(void)regs;
	(void)flags;
	note((char)('a' + (p - k)));
}

static void start_order(void)
{
	order_len = 0;
	order[0] = 0;
}

static void register_three(void)
{
	int i, err = 0;

	memset(k, 0, sizeof(k));
	stop_at = NULL;
	for (i = 0; i < 3; i++) {
		k[i].symbol_name = "t_add";
		k[i].pre_handler = pre_note;
		k[i].post_handler = post_note;
		err |= t_register(&k[i]);
	}
	EXPECT_EQ("K-HIT-15", "three at one address", err, 0);
}

static void orders(void)
{
	int i;

	register_three();
	start_order();
	EXPECT_EQ("K-HIT-34", "result", t_add(1, 2), 3);
	EXPECT("K-HIT-15 K-HIT-16", "newest first, pre and post",
	       !strcmp(order, "CBAcba"));
	EXPECT_EQ("K-HIT-19", "disable the middle one", disable_kprobe(&k[1]),
		  0);
	start_order();
	t_add(1, 2);
	EXPECT("K-HIT-19", "it is skipped in both passes",
	       !strcmp(order, "CAca"));
	enable_kprobe(&k[1]);
	start_order();
	t_add(1, 2);
	EXPECT("K-HIT-19", "enabled again: the old order",
	       !strcmp(order, "CBAcba"));
	stop_at = &k[1];
	start_order();
	EXPECT_EQ("K-HIT-12", "a handler takes over", t_add(1, 2), 99);
	EXPECT("K-HIT-17", "older ones and all post handlers are not called",
	       !strcmp(order, "CB"));
	stop_at = NULL;
	k[1].pre_handler = NULL;
	k[2].post_handler = NULL;
	start_order();
	EXPECT_EQ("K-HIT-34", "result", t_add(1, 2), 3);
	EXPECT("K-HIT-20", "absent handlers are skipped",
	       !strcmp(order, "CAba"));
	unregister_kprobe(&k[1]);
	start_order();
	t_add(1, 2);
	EXPECT("K-UNR-10", "removing one keeps the order",
	       !strcmp(order, "CAa"));
	for (i = 0; i < 3; i++)
		disable_kprobe(&k[i]);
	EXPECT_EQ("K-HIT-22", "all disabled: the byte is back", t_text(t_add),
		  T_ADD_FIRST);
	unregister_kprobe(&k[0]);
	unregister_kprobe(&k[2]);
}

/* K-HIT-23: a post handler beside a handler-less first probe. */
static void late_post(void)
{
	struct kprobe first = { .symbol_name = "t_add", .offset = T_ADD_LEA };
	struct kprobe second = { .symbol_name = "t_add", .offset = T_ADD_LEA,
				 .post_handler = t_post };

	t_register(&first);
	t_add(1, 1);
	t_register(&second);
	t_reset();
	EXPECT_EQ("K-HIT-34", "result", t_add(1, 1), 2);
	EXPECT_EQ("K-HIT-23", "a post handler that comes late runs",
		  t_counts.post, 1);
	unregister_kprobe(&second);
	t_add(1, 1);
	EXPECT_EQ("K-UNR-02", "and not after it is gone", t_counts.post, 1);
	unregister_kprobe(&first);
}

/* ---- what handlers see --------------------------------------------------- */

static void registers(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .pre_handler = t_pre, .post_handler = t_post };

	t_register(&p);
	t_reset();
	EXPECT_EQ("K-HIT-34", "result", t_add(1000, 337), 1337);
	EXPECT("K-HIT-01", "pre and post once each",
	       t_counts.pre == 1 && t_counts.post == 1);
	EXPECT("K-HIT-03", "with the user's own struct", t_counts.who == &p);
	EXPECT("K-HIT-04", "pre sees ip == addr + 1",
	       T_IP(t_counts.pre_regs) == T_PRE_IP(p.addr));
	EXPECT("K-HIT-05", "post sees the next instruction",
	       T_IP(t_counts.post_regs) == (unsigned long)T_AT(t_add, T_ADD_POP));
	EXPECT_EQ("K-HIT-06", "post's third argument", t_counts.flags, 0);
	EXPECT("K-HIT-07", "pre sees the arguments",
	       t_held(&t_counts.pre_regs, 0) == 1000 && t_held(&t_counts.pre_regs, 1) == 337);
	EXPECT("K-HIT-07", "and not yet the result",
	       T_RESULT(t_counts.pre_regs) != 1337);
	EXPECT_EQ("K-HIT-05", "post sees the result",
		  regs_return_value(&t_counts.post_regs), 1337);
	EXPECT("K-HIT-07", "the stack pointer is the interrupted one",
	       T_SP(t_counts.pre_regs) == T_FP(t_counts.pre_regs));
	unregister_kprobe(&p);
}

static void branch_targets(void)
{
	struct kprobe p = { .symbol_name = "t_jump", .offset = T_JUMP_JZ,
			    .post_handler = t_post };
	struct kprobe ret = { .symbol_name = "t_add", .offset = T_ADD_RET,
			      .post_handler = t_post };

	t_register(&p);
	t_reset();
	EXPECT_EQ("K-XI-22", "jz not taken", t_jump(1), 1);
	EXPECT("K-HIT-05", "post sees the next instruction",
	       T_IP(t_counts.post_regs) == (unsigned long)T_AT(t_jump,
							    T_JUMP_MOV));
	EXPECT_EQ("K-XI-22", "jz taken", t_jump(0), 2);
	EXPECT("K-HIT-05", "post sees the target",
	       T_IP(t_counts.post_regs) > (unsigned long)T_AT(t_jump, T_JUMP_RET));
	EXPECT_EQ("K-HIT-01", "once each", t_counts.post, 2);
	unregister_kprobe(&p);
	if (t_register(&ret))
		return;
	t_reset();
	EXPECT_EQ("K-XI-27", "ret", t_add(40, 2), 42);
	EXPECT("K-HIT-05", "post sees the caller",
	       t_counts.post == 1 &&
	       T_IP(t_counts.post_regs) - (unsigned long)branch_targets + (1 << 24) <
		       2 << 24);
	unregister_kprobe(&ret);
}

/* ---- what handlers may change -------------------------------------------- */

static int pre_change(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	t_set_held(regs, 70);
	return 0;
}

static void post_change(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	(void)p;
	(void)flags;
	t_set_result(regs, T_RESULT(*regs) + 5);
}

static int pre_bad_ip(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	t_counts.pre++;
	instruction_pointer_set(regs, 0x1234);
	return 0;
}

static int pre_skip(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)p->addr + T_SKIP_LEN);
	t_counts.pre++;
	return 1;
}

static int pre_redirect(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	t_counts.pre++;
	instruction_pointer_set(regs, (unsigned long)t_after);
	return 7;
}

static void changes(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .pre_handler = pre_change };

	t_register(&p);
	EXPECT_EQ("K-HIT-08", "pre changes an argument", t_add(1, 2), 72);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_add", .offset = T_ADD_LEA,
			     .post_handler = post_change };
	t_register(&p);
	EXPECT_EQ("K-HIT-09", "post changes the result", t_add(1, 2), 8);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_add", .offset = T_ADD_LEA,
			     .pre_handler = pre_bad_ip };
	t_register(&p);
	EXPECT_EQ("K-HIT-10", "a changed ip with return 0 is discarded",
		  t_add(1, 2), 3);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_jump", .offset = T_JUMP_JZ,
			     .pre_handler = pre_bad_ip };
	t_register(&p);
	EXPECT_EQ("K-HIT-11", "also for an emulated instruction",
		  t_jump(0) * 10 + t_jump(1), 21);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_skip", .offset = T_SKIP_ADC,
			     .pre_handler = pre_skip, .post_handler = t_post };
	EXPECT_EQ("K-HIT-13", "not skipped: 2", t_skip(), 2);
	t_register(&p);
	t_reset();
	t_skip();
	EXPECT_EQ("K-HIT-12", "no post handler after non-zero", t_counts.post,
		  0);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "t_first",
			     .pre_handler = pre_redirect,
			     .post_handler = t_post };
	t_register(&p);
	t_reset();
	EXPECT_EQ("K-HIT-14", "any non-zero continues at the changed ip",
		  t_first(), 2);
	EXPECT("K-HIT-12", "without step and post",
	       t_counts.pre == 1 && !t_counts.post);
	unregister_kprobe(&p);
}

/* ---- every register and flag survives ------------------------------------ */


static void every_instruction(void)
{
	static const int offsets[] = { T_ADD_PUSH, T_ADD_MOV, T_ADD_LEA,
				       T_ADD_POP, T_ADD_RET };
	int i;

	for (i = 0; i < 5; i++) {
		struct kprobe p = { .symbol_name = "t_add",
				    .offset = (unsigned int)offsets[i],
				    .pre_handler = t_pre };
		struct kprobe q = p;

		q.post_handler = t_post;
		if (t_register(&p))
			continue;
		t_reset();
		EXPECT_EQ("K-HIT-34", "with a pre handler", t_add(-5, 47), 42);
		EXPECT_EQ("K-HIT-01", "hit", t_counts.pre, 1);
		t_register(&q);
		EXPECT_EQ("K-HIT-34", "with a post handler too", t_add(-5, 47),
			  42);
		EXPECT("K-HIT-01", "hit", t_counts.pre == 3 &&
		       t_counts.post == 1);
		unregister_kprobe(&p);
		unregister_kprobe(&q);
	}
}

/* K-HIT-32: on several CPUs at once. */
static long wrong, pre_calls;

static int pre_atomic(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&pre_calls, 1, __ATOMIC_RELAXED);
	return 0;
}

static void call_many(void *arg)
{
	long i;

	(void)arg;
	for (i = 0; i < 5000; i++)
		if (t_add(i, 1) != i + 1)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void in_parallel(void)
{
	struct kprobe p = { .symbol_name = "t_add", .offset = T_ADD_LEA,
			    .pre_handler = pre_atomic };

	wrong = pre_calls = 0;
	t_register(&p);
	t_threads(4, call_many, NULL);
	unregister_kprobe(&p);
	EXPECT_EQ("K-HIT-32", "four threads: results", wrong, 0);
	EXPECT_EQ("K-HIT-02", "four threads: no hit is lost",
		  pre_calls + (long)p.nmissed, 20000);
}

void t_hits(void)
{
	orders();
	late_post();
	registers();
	branch_targets();
	changes();
	every_instruction();
	in_parallel();
}
