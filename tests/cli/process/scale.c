// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scale.c - a probe on each of very many functions (scale.py).
 *
 * Owns: nr probes, on scale_0 and up, by name; in one batch, or one by one.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <stdio.h>

static int nr = 1;
module_param(nr, int, 0444);

static bool single;
module_param(single, bool, 0444);

static struct kprobe *probes, **all;
static char (*names)[24];
static atomic_long_t hits;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&hits);
	return 0;
}

static int register_all(void)
{
	int i, err = 0;

	if (!single)
		return register_kprobes(all, nr);
	for (i = 0; i < nr && !err; i++)
		err = register_kprobe(all[i]);
	return err;
}

static int __init scale_init(void)
{
	int i;

	probes = kcalloc(nr, sizeof(*probes), GFP_KERNEL);
	all = kcalloc(nr, sizeof(*all), GFP_KERNEL);
	names = kcalloc(nr, sizeof(*names), GFP_KERNEL);
	if (!probes || !all || !names)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		snprintf(names[i], sizeof(names[i]), "scale_%d", i);
		probes[i].symbol_name = names[i];
		probes[i].pre_handler = on_hit;
		all[i] = &probes[i];
	}
	return register_all();
}

static void __exit scale_exit(void)
{
	unregister_kprobes(all, nr);
	pr_info("scale: %ld hits\n", atomic_long_read(&hits));
	kfree(names);
	kfree(all);
	kfree(probes);
}

module_init(scale_init);
module_exit(scale_exit);
MODULE_DESCRIPTION("Kprobes: tests of scale");
MODULE_LICENSE("Dual BSD/GPL");
