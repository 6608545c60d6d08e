// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * many.c - a probe module with many probes, for bench/process/attach.
 *
 * Owns: the probes, at the instructions of bench_field; says by the size of a
 * batch how long the batch took.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>

#define NR_MAX 100000

static int nr = 10000;
module_param(nr, int, 0444);

static struct kprobe probes[NR_MAX], *all[NR_MAX];

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int __init many_init(void)
{
	int i;

	if (nr < 1 || nr > NR_MAX)
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		all[i] = &probes[i];
		probes[i].symbol_name = "bench_field";
		probes[i].offset = 2 + 7 * i;
		probes[i].pre_handler = on_pre;
	}
	return register_kprobes(all, nr);
}

static void __exit many_exit(void)
{
	unregister_kprobes(all, nr);
}

module_init(many_init);
module_exit(many_exit);
MODULE_DESCRIPTION("Kprobes: many probes at once");
MODULE_LICENSE("Dual BSD/GPL");
