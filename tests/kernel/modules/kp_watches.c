// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_watches.c - every write to watched memory is accounted for, while probes come and
 * go.
 *
 * Owns: threads that write to objects of their own and to one word in turn, each object
 * with a watch probe by code and the word with one by debug registers, for good; and a
 * thread that registers, switches and unregisters watch probes of both kinds there
 * meanwhile, and kprobes on the instructions that write.  At the end, for each probe
 * that stayed: told == written, nothing is missed, and the text is as before.
 *
 * Loading the module runs all of it.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <kprobes/control.h>
#include <kprobes/watch.h>
#include "snapshot.h"

static ulong seed = 1;
module_param(seed, ulong, 0400);
static int seconds = 5;
module_param(seconds, int, 0400);

#define WORKERS 4
#define OBJECTS 64
#define TEXT_LEN 256

struct object {
	long head, count, tail[6];
};

static struct object objects[WORKERS][OBJECTS];
static atomic64_t told[WORKERS][OBJECTS];
static struct wprobe steady[WORKERS][OBJECTS];

/* Watched by a debug register: who has the mutex writes. */
static long word __aligned(8);
static long word_written;
static atomic64_t word_told;
static struct wprobe on_word;
static DEFINE_MUTEX(word_lock);

static atomic64_t churned, wrong;

/* What is watched has no instruction of its own here that is not one write. */
noinline void watches_write(struct object *object, long value);
noinline void watches_write(struct object *object, long value)
{
	WRITE_ONCE(object->head, value);
	WRITE_ONCE(object->count, object->count + 1);
	barrier();
	WRITE_ONCE(object->tail[value & 3], -value);
}

static const struct wprobe_code code = { .addr = (const void *)watches_write };

static void on_count(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
	long nr = wp - &steady[0][0];

	if (access->size != sizeof(long) || access->after != access->before + 1)
		atomic64_inc(&wrong);
	atomic64_inc(&told[nr / OBJECTS][nr % OBJECTS]);
}

static void on_word_written(struct wprobe *wp, struct pt_regs *regs,
			    const struct kp_access *access)
{
	atomic64_inc(&word_told);
}

static void on_other(struct wprobe *wp, struct pt_regs *regs,
		     const struct kp_access *access)
{
}

static int worker(void *number)
{
	long me = (long)number, i = 0;

	while (!kthread_should_stop()) {
		watches_write(&objects[me][i % OBJECTS], i);
		if (++i % 100)
			continue;
		mutex_lock(&word_lock);
		WRITE_ONCE(word, i);
		word_written++;
		mutex_unlock(&word_lock);
		cond_resched();
	}
	return 0;
}

/* ---- the probes that come and go ------------------------------------------------- */

#define SET 8
static struct wprobe wps[SET], *list[SET];
static struct kprobe kp;

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void nothing_after(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
}

static void choose(struct rnd_state *random)
{
	int i;

	for (i = 0; i < SET; i++) {
		u32 how = prandom_u32_state(random);
		struct object *object = &objects[how % WORKERS][how / 4 % OBJECTS];

		wps[i] = (struct wprobe){
			.kp.addr = (void *)object, .handler = on_other,
			.before = how & 512 ? on_other : NULL,
			.len = how & 256 ? sizeof(*object) : 1 + how / 1024 % 40,
			.type = how & 2048 ? KP_WATCH_WRITE : KP_WATCH_CHANGED,
			.code = &code, .code_nr = 1,
		};
		/* One or two have a debug register each. */
		if (i < 2 && !wps[i].before)
			wps[i] = (struct wprobe){
				.kp.addr = (void *)&objects[i][i].tail[4],
				.handler = on_other, .len = sizeof(long),
				.type = KP_WATCH_RW,
			};
		list[i] = &wps[i];
	}
}

static int change(void *unused)
{
	struct rnd_state random;

	prandom_seed_state(&random, seed);
	while (!kthread_should_stop()) {
		int nr = 1 + prandom_u32_state(&random) % SET, i;

		choose(&random);
		kp = (struct kprobe){
			.addr = (kprobe_opcode_t *)watches_write,
			.pre_handler = nothing, .post_handler = nothing_after,
		};
		if (register_wprobes(list, nr) || register_kprobe(&kp)) {
			atomic64_inc(&wrong);
			pr_info("watches: # refused: %s\n",
				wps[0].kp.reason ?: kp.reason ?: "who knows why");
			return 0;
		}
		for (i = 0; i < 2 * nr; i++) {
			u32 how = prandom_u32_state(&random);

			how & 1 ? disable_wprobe(&wps[how / 2 % nr])
				: enable_wprobe(&wps[how / 2 % nr]);
		}
		unregister_kprobe(&kp);
		unregister_wprobes(list, nr);
		atomic64_add(nr, &churned);
		cond_resched();
	}
	return 0;
}

/* ---- all of it --------------------------------------------------------------------- */

static int start(void)
{
	int w, i, err = 0;

	for (w = 0; w < WORKERS; w++)
		for (i = 0; i < OBJECTS && !err; i++) {
			steady[w][i] = (struct wprobe){
				.kp.addr = (void *)&objects[w][i].count,
				.handler = on_count, .len = sizeof(long),
				.type = KP_WATCH_WRITE, .code = &code, .code_nr = 1,
			};
			err = register_wprobe(&steady[w][i]);
		}
	on_word = (struct wprobe){
		.kp.addr = (void *)&word, .handler = on_word_written,
		.len = sizeof(word), .type = KP_WATCH_WRITE,
	};
	return err ?: register_wprobe(&on_word);
}

static void check(void)
{
	long written = 0, seen = 0, missed = 0, differ = 0;
	int w, i;

	for (w = 0; w < WORKERS; w++)
		for (i = 0; i < OBJECTS; i++) {
			long nr = atomic64_read(&told[w][i]);

			written += objects[w][i].count;
			seen += nr;
			missed += steady[w][i].kp.nmissed;
			differ += nr != objects[w][i].count;
		}
	pr_info("watches: # %ld written, %ld told, %ld missed; the word %ld, %lld told, %ld missed\n",
		written, seen, missed, word_written,
		(long long)atomic64_read(&word_told), on_word.kp.nmissed);
	expect_eq("K-WAT-39", "by code each write to each object is told once", differ, 0);
	expect_eq("K-WAT-39", "and none is missed", missed, 0);
	expect_eq("K-WAT-21", "by registers told + missed == written",
		  atomic64_read(&word_told) + on_word.kp.nmissed, word_written);
	expect_eq("K-WAT-39", "with what it wrote", atomic64_read(&wrong), 0);
	expect("K-INV-06", "probes came and went", atomic64_read(&churned) > 5);
}

static void run(void)
{
	struct task_struct *tasks[WORKERS + 1];
	long i;

	for (i = 0; i < WORKERS; i++)
		tasks[i] = kthread_run(worker, (void *)i, "watches/%ld", i);
	tasks[i] = kthread_run(change, NULL, "watches/change");
	for (i = 0; i <= WORKERS; i++)
		if (!IS_ERR(tasks[i]))
			get_task_struct(tasks[i]);
	msleep(1000 * seconds);
	for (i = 0; i <= WORKERS; i++)
		if (!IS_ERR(tasks[i])) {
			kthread_stop(tasks[i]);
			put_task_struct(tasks[i]);
		}
}

static int __init watches_init(void)
{
	void *before = snapshot((unsigned long)watches_write, TEXT_LEN), *after;
	int w, i, err = start();

	expect_eq("K-WAT-36", "all of it is registered", err, 0);
	if (err || !before)
		return err ?: -ENOMEM;
	kprobes_flush();
	run();
	check();
	unregister_wprobe(&on_word);
	for (w = 0; w < WORKERS; w++)
		for (i = 0; i < OBJECTS; i++)
			unregister_wprobe(&steady[w][i]);
	kprobes_flush();
	after = snapshot((unsigned long)watches_write, TEXT_LEN);
	expect("K-INV-05", "the text is as before",
	       after && !memcmp(before, after, TEXT_LEN));
	vfree(before);
	vfree(after);
	pr_info("watches: seed %lu: %lld probes came and went\n", seed,
		(long long)atomic64_read(&churned));
	return 0;
}

static void __exit watches_exit(void)
{
}

module_init(watches_init);
module_exit(watches_exit);
MODULE_DESCRIPTION("Kprobes tests: every write to watched memory is accounted for");
MODULE_LICENSE("Dual BSD/GPL");
