// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_level.c - what a jprobe's call leaves behind, beside interrupts whose last
 * part runs at the level of what they interrupted.
 *
 * Owns: a thread that calls a function with a jprobe and compares the preemption
 * count before and after each call; a timer that has softirqs to run each time;
 * and a kprobe where softirqs are run, whose hits arrive before the softirq counts as
 * one: so at the interrupted task's level, now and then just where a hit of the
 * jprobe begins.
 *
 * Loading the module runs all of it, for as many seconds as it is told.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include "rules.h"

static uint seconds = 3;
module_param(seconds, uint, 0400);

#define PERIOD_NS 100000

static unsigned long jumped, softirqs, calls, wrong;
static int deepest;

/* Not inlined, and nothing of it is known to the caller. */
noinline long level_target(long x);
noinline long level_target(long x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static long on_call(long x)
{
	jumped++;
	jprobe_return();
	return 0;
}

static struct jprobe jp = { .entry = on_call, .kp.symbol_name = "level_target" };

static int on_softirq(struct kprobe *p, struct pt_regs *regs)
{
	softirqs++;
	return 0;
}

static struct kprobe softirq = { .pre_handler = on_softirq };

/* Where the loop is; which of them a kernel has depends on its version. */
static int probe_softirqs(void)
{
	static const char *const names[] = { "handle_softirqs", "__do_softirq" };
	int i, err = -ENOENT;

	for (i = 0; i < ARRAY_SIZE(names) && err == -ENOENT; i++) {
		softirq.symbol_name = names[i];
		err = register_kprobe(&softirq);
	}
	return err;
}

static void nothing(struct tasklet_struct *unused) { }
static DECLARE_TASKLET(work, nothing);

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	tasklet_schedule(&work);
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));
	return HRTIMER_RESTART;
}

/* What a call leaves too much is taken back, so that the kernel lives. */
static void call_once(void)
{
	int before = preempt_count(), after;

	calls++;
	if (level_target(calls) != calls + 1)
		wrong++;
	after = preempt_count();
	if (after == before)
		return;
	wrong++;
	deepest = max(deepest, after - before);
	__preempt_count_sub(after - before);
}

/* The timer fires on the CPU that it was started on. */
static int caller(void *unused)
{
	unsigned long end = jiffies + seconds * HZ;
	struct hrtimer timer;

	hrtimer_setup(&timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	hrtimer_start(&timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_PINNED);
	while (time_before(jiffies, end)) {
		int i;

		for (i = 0; i < 1000; i++)
			call_once();
		cond_resched();
	}
	hrtimer_cancel(&timer);
	tasklet_kill(&work);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int run(void)
{
	struct task_struct *task = kthread_create(caller, NULL, "kp_level");

	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, 0);
	wake_up_process(task);
	ssleep(seconds + 1);
	return kthread_stop(task);
}

static int __init level_init(void)
{
	int err = probe_softirqs();

	expect_eq("K-JP-01", "a kprobe where softirqs are run", err, 0);
	if (err)
		return err;
	err = register_jprobe(&jp);
	expect_eq("K-JP-01", "a jprobe on the called function", err, 0);
	if (!err) {
		err = run();
		unregister_jprobe(&jp);
	}
	unregister_kprobe(&softirq);
	pr_info("KP-TEST # level: %lu calls, %lu of the jprobe, %lu softirqs and %lu missed, %lu wrong, by up to %d\n",
		calls, jumped, softirqs, softirq.nmissed, wrong, deepest);
	expect("K-JP-16", "interrupts came", softirqs > 100);
	expect_eq("K-JP-16", "every call reached the jprobe or is counted as missed",
		  jumped + jp.kp.nmissed, calls);
	expect_eq("K-JP-16", "a jprobe's call leaves the preemption count as it was",
		  wrong, 0);
	return err;
}

static void __exit level_exit(void)
{
}

module_init(level_init);
module_exit(level_exit);
MODULE_DESCRIPTION("Kprobes tests: jprobes beside the last part of interrupts");
MODULE_LICENSE("Dual BSD/GPL");
