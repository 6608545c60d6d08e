// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rules_watch.c - watched memory, on each processor and in interrupts.
 *
 * Owns: a word that all processors write to, also one that has come meanwhile, as the
 * script says (watch, come); and one that is changed by all atomics that kernels have.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <kprobes/watch.h>
#include "atomics.h"
#include "rules.h"

static long word __aligned(8);
static atomic_t told, from_interrupts;

static void on_write(struct wprobe *wp, struct pt_regs *regs, const struct kp_access *access)
{
	atomic_inc(&told);
	if (hardirq_count())	/* in_hardirq() is younger than 5.10 */
		atomic_inc(&from_interrupts);
}

static struct wprobe on_word = {
	.kp.addr = (void *)&word, .handler = on_write, .len = sizeof(word),
	.type = KP_WATCH_WRITE,
};

static int watch(enum kp_watch_type type)
{
	on_word.type = type;
	on_word.kp.flags = 0;
	return register_wprobe(&on_word);
}

/* ---- who writes --------------------------------------------------------------- */

static void write_word(void *unused)
{
	WRITE_ONCE(word, word + 1);
}

/* How many of the processors' writes are told. */
static int tell_each(void)
{
	atomic_set(&told, 0);
	on_each_cpu(write_word, NULL, 1);
	return atomic_read(&told);
}

static int set_watch(const char *text, const struct kernel_param *param)
{
	expect_eq("K-WAT-13", "register", watch(KP_WATCH_WRITE), 0);
	expect_eq("K-WAT-13", "each processor's writes", tell_each(), num_online_cpus());
	expect("K-WAT-13", "also in interrupts",
	       atomic_read(&from_interrupts) >= (int)num_online_cpus() - 1);
	return 0;
}
static const struct kernel_param_ops watch_ops = { .set = set_watch };
module_param_cb(watch, &watch_ops, NULL, 0200);

static int set_come(const char *text, const struct kernel_param *param)
{
	expect("K-WAT-35", "a processor has come", num_online_cpus() > 1);
	expect_eq("K-WAT-35", "and is watched", tell_each(), num_online_cpus());
	return 0;
}
static const struct kernel_param_ops come_ops = { .set = set_come };
module_param_cb(come, &come_ops, NULL, 0200);

static int set_unwatch(const char *text, const struct kernel_param *param)
{
	unregister_wprobe(&on_word);
	expect_eq("K-WAT-09", "no processor's writes", tell_each(), 0);
	return 0;
}
static const struct kernel_param_ops unwatch_ops = { .set = set_unwatch };
module_param_cb(unwatch, &unwatch_ops, NULL, 0200);

/* ---- how they write --------------------------------------------------------------- */

#define TIMES 100
#define WRITES 7

/* Where these are loops of a load and a store of their own, both may trap. */
static void change_word(void)
{
	int i;

	WRITE_ONCE(word, 0);
	atomic_set(&told, 0);
	for (i = 0; i < TIMES; i++) {
		atomic_inc((atomic_t *)&word);
		atomic_add_return(3, (atomic_t *)&word);
		atomic_long_or(1, (atomic_long_t *)&word);
		atomic_long_xchg((atomic_long_t *)&word, i);
		cmpxchg(&word, i, i + 1);
		cmpxchg((u8 *)&word, (u8)(i + 1), (u8)i);
		cmpxchg((u16 *)&word + 1, 0, 7);
	}
}

static void atomics(void)
{
	change_word();
	expect_eq("K-WAT-21", "atomics: each write once", atomic_read(&told),
		  WRITES * TIMES);
	expect_eq("K-WAT-21", "they do what they do", word, (7l << 16) + TIMES - 1);
}

void watch_rules(void)
{
	int perf, err = watch(KP_WATCH_WRITE);

	if (err == -EOPNOTSUPP) {
		skip("K-WAT-21", "no debug registers are to be had");
		return;
	}
	expect_eq("K-WAT-21", "register", err, 0);
	atomics();
	unregister_wprobe(&on_word);
	perf = perf_is_told(&word, change_word);
	expect_eq("K-WAT-02", "reads, too", watch(KP_WATCH_RW), 0);
	change_word();
	pr_info("kp_rules: of %d atomics %d are told, perf was told of %d\n", WRITES * TIMES,
		atomic_read(&told), perf);
	if (perf >= WRITES * TIMES)
		expect("K-WAT-02", "atomics are told as often at least",
		       atomic_read(&told) >= WRITES * TIMES);
	else
		skip("K-WAT-02", "this machine does not report atomics to who watches reads");
	expect_eq("K-WAT-02", "and do what they do", word, (7l << 16) + TIMES - 1);
	unregister_wprobe(&on_word);
}
