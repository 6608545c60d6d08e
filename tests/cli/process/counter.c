// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * counter.c - a probe module that counts hits and says nothing meanwhile.
 *
 * With every=1 each instruction of the function is probed that can be, with a
 * post handler at every second one; with ret=1 the function's returns are.
 * With linger=MS the one handler takes that long.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

static char symbol[KSYM_NAME_LEN] = "victim_target";
module_param_string(symbol, symbol, sizeof(symbol), 0444);

static bool post;
module_param(post, bool, 0444);

static bool every;
module_param(every, bool, 0444);

static bool ret;
module_param(ret, bool, 0444);

static unsigned int linger;
module_param(linger, uint, 0444);

#define LENGTH 160
static unsigned long hits;
static struct kprobe each[LENGTH];
static int registered;

static int before(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	if (linger)
		msleep(linger);
	return 0;
}

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static struct kprobe probe = { .symbol_name = symbol, .pre_handler = before };
static struct kretprobe at_return = {
	.kp.symbol_name = symbol, .handler = returned,
};

static int register_each(void)
{
	int i;

	for (i = 0; i < LENGTH; i++) {
		each[i].symbol_name = symbol;
		each[i].offset = i;
		each[i].pre_handler = before;
		each[i].post_handler = registered % 2 ? after : NULL;
		/* Not an instruction's first byte, or behind the function. */
		if (register_kprobe(&each[i]))
			memset(&each[i], 0, sizeof(each[i]));
		else
			registered++;
	}
	return registered > 10 ? 0 : -ENOENT;
}

static int __init counter_init(void)
{
	if (every)
		return register_each();
	if (ret)
		return register_kretprobe(&at_return);
	if (post)
		probe.post_handler = after;
	return register_kprobe(&probe);
}

static void __exit counter_exit(void)
{
	int i;

	for (i = 0; i < LENGTH; i++)
		if (each[i].addr)
			unregister_kprobe(&each[i]);
	if (ret)
		unregister_kretprobe(&at_return);
	else if (!every)
		unregister_kprobe(&probe);
	pr_info("counter: %s hits %lu\n", symbol, hits);
}

module_init(counter_init);
module_exit(counter_exit);
MODULE_LICENSE("Dual BSD/GPL");
