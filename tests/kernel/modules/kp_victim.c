// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_victim.c - a module to be probed while it comes and goes.
 *
 * Owns: victim_work, and the parameter "work" that calls it n times when n is
 * written, and then victim_other once; read, it says how often altogether.  The targets are assembly, so that no ftrace site is at their entry.
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include "targets.h"

asm(VICTIM_TARGETS);
long victim_work(long n);
long victim_other(long n);
long victim_early(long n);
void victim_marked(void);
NOKPROBE_SYMBOL(victim_marked);

static long result;

static int set_work(const char *text, const struct kernel_param *param)
{
	long n;
	int err = kstrtol(text, 0, &n);

	for (; !err && n > 0; n--)
		result = victim_work(result);
	return err || victim_other(1) == 1 + VICTIM_SUM ? err : -EIO;
}

static int get_work(char *text, const struct kernel_param *param)
{
	return sprintf(text, "%ld\n", result - 2);
}

static const struct kernel_param_ops work_ops = {
	.set = set_work,
	.get = get_work,
};
module_param_cb(work, &work_ops, NULL, 0600);

static bool fail;		/* to start */
module_param(fail, bool, 0400);

static int __init victim_init(void)
{
	result = victim_early(0);
	return fail ? -ENODEV : 0;
}

static void __exit victim_exit(void)
{
}

module_init(victim_init);
module_exit(victim_exit);
MODULE_DESCRIPTION("Kprobes tests: a module to be probed");
MODULE_LICENSE("Dual BSD/GPL");
