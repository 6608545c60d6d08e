// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_traced.c - probes at ftrace sites while others trace the same functions.
 *
 * Owns: threads that call traced functions all the time, probes that stay and
 * probes that come and go there.  While the case's script switches tracers and
 * the kernel's own Kprobes on and off at the same functions: every call gives
 * the right result, and is one hit of each probe that stays (K-INV-01).
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include "rules.h"

#define WORKERS	2

noinline __attribute__((noipa)) long churn_target(long n);
noinline __attribute__((noipa)) long churn_target(long n)
{
	barrier();
	return n + 3;
}

noinline __attribute__((noipa)) long churn_other(long n);
noinline __attribute__((noipa)) long churn_other(long n)
{
	barrier();
	return churn_target(n) * 2;
}

static atomic64_t calls, wrong, pre_nr, post_nr, return_nr, jprobe_nr;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic64_inc(&pre_nr);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic64_inc(&post_nr);
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic64_inc(&return_nr);
	return 0;
}

static long on_jprobe(long n)
{
	atomic64_inc(&jprobe_nr);
	jprobe_return();
	return 0;
}

/* These stay. */
static struct kprobe stays = { .addr = (kprobe_opcode_t *)churn_target,
			       .pre_handler = on_pre };
static struct kretprobe returns = {
	.kp.addr = (kprobe_opcode_t *)churn_other, .handler = on_return };
static struct jprobe jumps = { .kp.addr = (kprobe_opcode_t *)churn_other,
			       .entry = on_jprobe };

static int worker(void *unused)
{
	long n = 0;

	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 100; i++, n++)
			if (churn_other(n) != (n + 3) * 2)
				atomic64_inc(&wrong);
		atomic64_add(100, &calls);
		usleep_range(50, 200);
	}
	return 0;
}

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static unsigned long rounds, refused;

/* All kinds at both functions, some of which want to redirect. */
static int churner(void *unused)
{
	static struct kprobe a, b, c;
	static struct kretprobe r;
	int err;

	while (!kthread_should_stop()) {
		a = (struct kprobe){ .addr = (kprobe_opcode_t *)churn_target,
				     .pre_handler = nothing };
		b = (struct kprobe){ .addr = (kprobe_opcode_t *)churn_other,
				     .pre_handler = nothing,
				     .post_handler = on_post };
		c = (struct kprobe){ .addr = (kprobe_opcode_t *)churn_target +
					     landing_pad((void *)churn_target) + 5,
				     .pre_handler = nothing };
		r = (struct kretprobe){
			.kp.addr = (kprobe_opcode_t *)churn_target };
		err = register_kprobes((struct kprobe *[]){ &a, &b, &c }, 3);
		/* While the module is being unloaded: K-REG-31. */
		if (err && THIS_MODULE->state == MODULE_STATE_GOING) {
			msleep(1);
			continue;
		}
		if (err) {
			refused++;
			pr_info("# refused: %d: %s, %s, %s\n", err, a.reason,
				b.reason, c.reason);
		} else {
			disable_kprobe(&b);
			enable_kprobe(&b);
			unregister_kprobes((struct kprobe *[]){ &c, &b, &a }, 3);
		}
		if (!register_kretprobe(&r))
			unregister_kretprobe(&r);
		disable_kprobe(&stays);
		enable_kprobe(&stays);
		rounds++;
		msleep(1);
	}
	return 0;
}

static bool churning;		/* stays is switched: its hits are not all */
module_param(churning, bool, 0400);
static bool busy = true;	/* with threads, and checks at the end */
module_param(busy, bool, 0400);

static struct task_struct *workers[WORKERS], *churn;

static int __init traced_init(void)
{
	int i, err = register_kprobe(&stays);

	if (!err)
		err = register_kretprobe(&returns);
	if (!err)
		err = register_jprobe(&jumps);
	if (err)
		return err;
	expect("K-FTR-06", "are at ftrace sites",
	       kprobe_ftrace(&stays) && kprobe_ftrace(&returns.kp) &&
	       kprobe_ftrace(&jumps.kp));
	if (!busy)
		return 0;
	if (churning)
		churn = kthread_run(churner, NULL, "churn");
	for (i = 0; i < WORKERS; i++)
		workers[i] = kthread_run(worker, NULL, "traced/%d", i);
	return 0;
}

static void stop_and_check(void)
{
	long nr;
	int i;

	for (i = 0; i < WORKERS; i++)
		kthread_stop(workers[i]);
	if (churn)
		kthread_stop(churn);
	nr = atomic64_read(&calls);
	pr_info("# %ld calls, %lu rounds; missed %lu, %d + %lu, %lu\n", nr,
		rounds, stays.nmissed, returns.nmissed, returns.kp.nmissed,
		jumps.kp.nmissed);
	expect("K-FTR-06", "there were calls", nr > 1000);
	expect_eq("K-FTR-06 K-HIT-34", "every result was right",
		  atomic64_read(&wrong), 0);
	if (churning) {
		expect("K-FTR-06", "probes came and went", rounds > 3);
		expect_eq("K-FTR-06", "nothing was refused", refused, 0);
	} else {
		expect_eq("K-FTR-06 K-INV-01", "hits + nmissed == calls",
			  atomic64_read(&pre_nr) + stays.nmissed, nr);
	}
	expect_eq("K-FTR-06 K-INV-03", "every return was seen",
		  atomic64_read(&return_nr) + returns.nmissed +
		  returns.kp.nmissed, nr);
	expect_eq("K-FTR-06 K-INV-01", "and every jprobe was called",
		  atomic64_read(&jprobe_nr) + jumps.kp.nmissed, nr);
}

static void __exit traced_exit(void)
{
	if (busy)
		stop_and_check();
	unregister_jprobe(&jumps);
	unregister_kretprobe(&returns);
	unregister_kprobe(&stays);
	expect_eq("K-FTR-06", "and afterwards", churn_other(1), 8);
}

module_init(traced_init);
module_exit(traced_exit);
MODULE_DESCRIPTION("Kprobes tests: traced functions");
MODULE_LICENSE("Dual BSD/GPL");
