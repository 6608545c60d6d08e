// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_mix.c - every call is accounted for: the kernel's twin of tests/live/mix.c.
 *
 * Owns: eight threads that call two functions deep into each other and return,
 * leave all calls at once to where they came from (as longjmp does), or end
 * inside; and a thread that registers, switches and unregisters probes of all
 * kinds on the same functions meanwhile.  Each function carries two return
 * probes, two jprobes and two kprobes for good.  At the end, for each of those:
 * hits or returns + missed + unreturned == calls.
 *
 * Loading the module runs all of it.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <kprobes/control.h>
#include "mix.h"
#include "room.h"
#include "rules.h"

#ifndef MIX_SP
#define MIX_SP(r) ((r)->sp)
#endif

static ulong seed = 1;
module_param(seed, ulong, 0400);
static int seconds = 5;
module_param(seconds, int, 0400);

#define WORKERS		8
#define FUNCTIONS	2
#define EACH		2		/* of each kind on each function */
#define SET		4		/* of each kind that come and go */
#define DEPTH_MAX	8
static const int caps[EACH] = { 12, 100 };

/* ---- the functions -------------------------------------------------------- */

enum mode { RETURN, JUMP, END };

/*
 * mix_recurse(depth) and mix_deep(depth, mode) return depth.  A kprobe at
 * mix_leaf does what mode says.  mix_jumps(depth, JUMP) calls the latter and is
 * where a jump lands; its frame pointer is untouched meanwhile.
 */
asm(".pushsection .text\n" ROOM_BEFORE
    MIX_CODE
    ".popsection\n");
long mix_recurse(long depth);
long mix_deep(long depth, enum mode mode);
long mix_jumps(long depth, enum mode mode);
extern kprobe_opcode_t mix_leaf[], mix_landed[];

#define LANDED 7777

static kprobe_opcode_t *const function[FUNCTIONS] = {
	(void *)mix_recurse, (void *)mix_deep,
};

static atomic64_t calls[FUNCTIONS], wrong, jumps, ends, churned;

static DECLARE_COMPLETION(ended);

/* A thread's last call. */
static void mix_end(void)
{
	kthread_complete_and_exit(&ended, 0);
}

static int on_leaf(struct kprobe *p, struct pt_regs *regs)
{
	switch (MIX_MODE(regs)) {
	case JUMP:
		atomic64_inc(&jumps);
		MIX_SP(regs) = MIX_FRAME(regs);
		instruction_pointer_set(regs, (unsigned long)mix_landed);
		MIX_RESULT(regs) = LANDED;
		return 1;
	case END:
		atomic64_inc(&ends);
		/* As at the entry of a function. */
		MIX_SP(regs) = (MIX_SP(regs) & ~15ul) - MIX_RETURN_LEN;
		instruction_pointer_set(regs, (unsigned long)mix_end);
		return 1;
	}
	return 0;
}

static struct kprobe leaf = { .addr = mix_leaf, .pre_handler = on_leaf };

/* ---- the probes that stay --------------------------------------------------- */

struct steady {
	struct kretprobe rp;		/* first: found by its kprobe */
	struct kprobe kp;
	struct jprobe jp;
	atomic64_t returns, hits, jumps;
};
static struct steady steady[FUNCTIONS][EACH];

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic64_inc(&container_of(get_kretprobe(ri), struct steady, rp)->returns);
	return 0;
}

/*
 * Each call once, and by all: what two that are asked on a hit of mix_deep have
 * seen of this thread, the kprobe first.  No thread makes the same call from the
 * same place twice in a row.
 */
#define SEEN_MAX 4096
static struct seen {
	int pid;
	unsigned long sp, depth;
	u64 by_kprobe, by_jprobe;
} seen[SEEN_MAX];
static atomic_t strange;

static struct seen *seen_by_this(void)
{
	struct seen *s = &seen[current->pid % SEEN_MAX];

	if (s->pid != current->pid)
		*s = (struct seen){ .pid = current->pid };
	return s;
}

static void say_strange(const char *what, const struct seen *s,
			const struct pt_regs *regs)
{
	if (atomic_inc_return(&strange) > 10)
		return;
	pr_info("mix: # %s: %s, depth %lu, mode %lu, sp %lx, ip %lx; before: depth %lu, sp %lx, %llu by the kprobe, %llu by the jprobe\n",
		what, current->comm, MIX_DEPTH(regs), MIX_MODE(regs),
		(unsigned long)MIX_SP(regs), instruction_pointer((struct pt_regs *)regs), s->depth, s->sp, s->by_kprobe, s->by_jprobe);
	pr_info("mix: # not asked: %lu returns, %lu kprobes, %lu jprobes\n",
		steady[1][0].rp.kp.nmissed, steady[1][0].kp.nmissed,
		steady[1][0].jp.kp.nmissed);
	dump_stack();
}

static void compare(struct pt_regs *regs)
{
	struct seen *s = seen_by_this();

	s->by_kprobe++;
	if (s->by_kprobe != s->by_jprobe + 1)
		say_strange("a call that not all have seen", s, regs);
	if (s->by_kprobe > 1 && s->sp == MIX_SP(regs) && s->depth == MIX_DEPTH(regs))
		say_strange("a call that was seen twice", s, regs);
	s->by_kprobe = s->by_jprobe + 1;
	s->sp = MIX_SP(regs);
	s->depth = MIX_DEPTH(regs);
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic64_inc(&container_of(p, struct steady, kp)->hits);
	if (p == &steady[1][0].kp)
		compare(regs);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

/* A jprobe's handler is not told whose it is. */
#define JUMPED(f, i)							\
	static long jumped_##f##_##i(long depth)			\
	{								\
		if (depth < 0 || depth > 1000)				\
			atomic64_inc(&wrong);				\
		atomic64_inc(&steady[f][i].jumps);			\
		seen_by_this()->by_jprobe += f == 1 && i == 1;		\
		jprobe_return();					\
		return 0;						\
	}
JUMPED(0, 0) JUMPED(0, 1) JUMPED(1, 0) JUMPED(1, 1)

static void *const jumped[FUNCTIONS][EACH] = {
	{ jumped_0_0, jumped_0_1 }, { jumped_1_0, jumped_1_1 },
};

static int register_steady(int f, int i)
{
	struct steady *s = &steady[f][i];

	s->rp = (struct kretprobe){ .kp.addr = function[f], .handler = on_return,
				    .maxactive = caps[i], .data_size = i * 24 };
	s->kp = (struct kprobe){ .addr = function[f], .pre_handler = on_hit,
				 .post_handler = i ? on_post : NULL };
	s->jp = (struct jprobe){ .kp.addr = function[f],
				 .entry = JPROBE_ENTRY(jumped[f][i]) };
	return register_kprobe(&s->kp) ?: register_kretprobe(&s->rp) ?:
	       register_jprobe(&s->jp);
}

static void unregister_steady(int f, int i)
{
	unregister_jprobe(&steady[f][i].jp);
	unregister_kretprobe(&steady[f][i].rp);
	unregister_kprobe(&steady[f][i].kp);
}

/* ---- the work ------------------------------------------------------------------ */

static int ending(void *depth)
{
	mix_deep((long)depth, END);
	/* Only when nobody was at the leaf. */
	atomic64_inc(&wrong);
	mix_end();
	return 0;
}

/* One more thread that ends deep inside. */
static void end_inside(long depth)
{
	static DEFINE_MUTEX(one);
	struct task_struct *task;

	mutex_lock(&one);
	reinit_completion(&ended);
	task = kthread_run(ending, (void *)depth, "mix/end");
	if (!IS_ERR(task)) {
		wait_for_completion(&ended);
		atomic64_add(depth + 1, &calls[1]);
	}
	mutex_unlock(&one);
}

static void one_round(long depth)
{
	if (mix_recurse(depth) != depth || mix_deep(depth, RETURN) != depth ||
	    mix_jumps(depth, JUMP) != LANDED)
		atomic64_inc(&wrong);
	atomic64_add(depth + 1, &calls[0]);
	atomic64_add(2 * (depth + 1), &calls[1]);
}

static int worker(void *number)
{
	struct rnd_state random;
	int i;

	prandom_seed_state(&random, seed + (long)number);
	while (!kthread_should_stop()) {
		for (i = 0; i < 20; i++)
			one_round(prandom_u32_state(&random) % DEPTH_MAX);
		end_inside(prandom_u32_state(&random) % DEPTH_MAX);
		usleep_range(50, 500);
	}
	return 0;
}

/* ---- the probes that come and go -------------------------------------------------- */

static int declines(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return MIX_SP(regs) >> 6 & 1;
}

static int nothing(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static int on_other(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static long jumped_away(long depth)
{
	jprobe_return();
	return 0;
}

static struct kretprobe rps[SET], *rp_list[SET];
static struct kprobe kps[SET], *kp_list[SET];
static struct jprobe jps[SET], *jp_list[SET];

static void choose(struct rnd_state *random)
{
	int i;

	for (i = 0; i < SET; i++) {
		u32 how = prandom_u32_state(random);
		kprobe_opcode_t *fn = function[how % FUNCTIONS];

		rps[i] = (struct kretprobe){
			.kp.addr = fn, .handler = how & 2 ? nothing : NULL,
			.entry_handler = how & 4 ? declines : NULL,
			.maxactive = how & 8 ? 0 : how / 16 % 30,
			.data_size = how / 512 % 100,
		};
		kps[i] = (struct kprobe){
			.addr = fn, .pre_handler = how & 16 ? on_other : NULL,
			.post_handler = how & 32 ? on_post : NULL,
		};
		jps[i] = (struct jprobe){ .kp.addr = fn,
					  .entry = JPROBE_ENTRY(jumped_away) };
		rp_list[i] = &rps[i];
		kp_list[i] = &kps[i];
		jp_list[i] = &jps[i];
	}
}

static void switch_some(int nr, struct rnd_state *random)
{
	int i;

	for (i = 0; i < 2 * nr; i++) {
		u32 how = prandom_u32_state(random);
		int which = how / 8 % nr;

		how & 1 ? disable_kretprobe(&rps[which]) :
			  enable_kretprobe(&rps[which]);
		how & 2 ? disable_kprobe(&kps[which]) : enable_kprobe(&kps[which]);
		how & 4 ? disable_jprobe(&jps[which]) : enable_jprobe(&jps[which]);
	}
}

static int change(void *unused)
{
	struct rnd_state random;

	prandom_seed_state(&random, seed);
	while (!kthread_should_stop()) {
		int nr = 1 + prandom_u32_state(&random) % SET;

		choose(&random);
		if (register_kretprobes(rp_list, nr) ||
		    register_kprobes(kp_list, nr) ||
		    register_jprobes(jp_list, nr))
			atomic64_inc(&wrong);
		switch_some(nr, &random);
		unregister_jprobes(jp_list, nr);
		unregister_kretprobes(rp_list, nr);
		unregister_kprobes(kp_list, nr);
		atomic64_add(3 * nr, &churned);
		cond_resched();
	}
	return 0;
}

/* ---- the end ----------------------------------------------------------------------- */

/*
 * An instance of a call that was left is taken back when its pool is used up.
 * All threads are gone: more calls at a time than instances, all of which
 * return.
 */
static void take_back(void)
{
	long depth = caps[EACH - 1] + 10;

	/* The last of them leaves its CPU. */
	msleep(200);
	if (mix_recurse(depth) != depth || mix_deep(depth, RETURN) != depth)
		atomic64_inc(&wrong);
	atomic64_add(depth + 1, &calls[0]);
	atomic64_add(depth + 1, &calls[1]);
}

static void check_steady(int f, int i)
{
	struct steady *s = &steady[f][i];
	long all = atomic64_read(&calls[f]);
	long missed = s->rp.nmissed + s->rp.kp.nmissed;

	pr_info("mix: # %s, maxactive %d: %lld returns + %ld missed + %d unreturned, %ld calls\n",
		f ? "left and returning" : "recursive", caps[i],
		(long long)atomic64_read(&s->returns), missed, s->rp.nstale, all);
	expect_eq("K-INV-04 K-RET-47", "returns + missed + unreturned == calls",
		  atomic64_read(&s->returns) + missed + s->rp.nstale, all);
	expect_eq("K-INV-01", "kprobe hits + nmissed == calls",
		  atomic64_read(&s->hits) + s->kp.nmissed, all);
	/* No handler calls them, none faults. */
	expect_eq("K-INV-01", "nobody was not asked",
		  s->rp.kp.nmissed + s->kp.nmissed + s->jp.kp.nmissed, 0);
	expect_eq("K-JP-24", "jprobe hits + nmissed == calls",
		  atomic64_read(&s->jumps) + s->jp.kp.nmissed, all);
}

static int start(void)
{
	int f, i, err = register_kprobe(&leaf);

	for (f = 0; f < FUNCTIONS; f++)
		for (i = 0; i < EACH; i++)
			err = err ?: register_steady(f, i);
	return err;
}

static void run(void)
{
	struct task_struct *tasks[WORKERS + 1];
	long i;

	for (i = 0; i < WORKERS; i++)
		tasks[i] = kthread_run(worker, (void *)i, "mix/%ld", i);
	tasks[i] = kthread_run(change, NULL, "mix/change");
	msleep(1000 * seconds);
	for (i = 0; i <= WORKERS; i++)
		if (!IS_ERR(tasks[i]))
			kthread_stop(tasks[i]);
}

static int __init mix_init(void)
{
	int f, i, err = start();

	expect_eq("K-INV-04", "the mix is registered", err, 0);
	if (err)
		return err;
	kprobes_flush();
	run();
	take_back();
	expect_eq("K-HIT-34", "every result was right", atomic64_read(&wrong), 0);
	expect("K-INV-06", "probes came and went", atomic64_read(&churned) > 5);
	expect("K-RET-48", "calls were left, and threads ended inside",
	       atomic64_read(&jumps) > 20 && atomic64_read(&ends) > 2);
	expect_eq("K-INV-01", "each call was seen once, and by all",
		  atomic_read(&strange), 0);
	for (f = 0; f < FUNCTIONS; f++)
		for (i = 0; i < EACH; i++)
			check_steady(f, i);
	for (f = 0; f < FUNCTIONS; f++)
		for (i = 0; i < EACH; i++)
			unregister_steady(f, i);
	unregister_kprobe(&leaf);
	pr_info("mix: seed %lu: %lld probes came and went, %lld jumps, %lld threads ended inside\n",
		seed, (long long)atomic64_read(&churned),
		(long long)atomic64_read(&jumps), (long long)atomic64_read(&ends));
	return 0;
}

static void __exit mix_exit(void)
{
}

module_init(mix_init);
module_exit(mix_exit);
MODULE_DESCRIPTION("Kprobes tests: every call is accounted for");
MODULE_LICENSE("Dual BSD/GPL");
