// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * counter.c - a probe module that counts hits and says nothing meanwhile.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char symbol[KSYM_NAME_LEN] = "victim_target";
module_param_string(symbol, symbol, sizeof(symbol), 0444);

static bool post;
module_param(post, bool, 0444);

static unsigned long hits;

static int before(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
}

static struct kprobe probe = { .symbol_name = symbol, .pre_handler = before };

static int __init counter_init(void)
{
	if (post)
		probe.post_handler = after;
	return register_kprobe(&probe);
}

static void __exit counter_exit(void)
{
	unregister_kprobe(&probe);
	pr_info("counter: %s hits %lu\n", symbol, hits);
}

module_init(counter_init);
module_exit(counter_exit);
MODULE_LICENSE("Dual BSD/GPL");
