// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_overrun.c - a module with a defect: after some thousands of customers a title is
 * copied that is too long, and what stands behind it is another number.
 *
 * Owns: the kernel's case of docs/watching.md.  Parameter "serve": so many customers are
 * served when it is written; read, it is the limit.
 */
#include <linux/kernel.h>
#include <linux/module.h>

struct shop {
	char title[32];
	long limit;
};

static struct shop shop = { "a shop", 1000 };
static long served;

static noinline void retitle(const char *title)
{
	size_t i;

	for (i = 0; title[i]; i++)
		((volatile char *)&shop)[i] = title[i];
}

static noinline void serve_one(long customer)
{
	served += customer % 7 < READ_ONCE(shop.limit);
	if (customer % 1000 == 0)
		retitle("a shop that is open");
	if (customer == 2500)
		retitle("a shop that is open until midnight");
}

static int set_serve(const char *text, const struct kernel_param *param)
{
	long nr, i;
	int err = kstrtol(text, 0, &nr);

	for (i = 0; !err && i < nr; i++)
		serve_one(i);
	return err;
}

static int get_limit(char *text, const struct kernel_param *param)
{
	return sprintf(text, "%ld\n", READ_ONCE(shop.limit));
}

static const struct kernel_param_ops serve_ops = {
	.set = set_serve,
	.get = get_limit,
};
module_param_cb(serve, &serve_ops, NULL, 0600);

static int __init overrun_init(void)
{
	return 0;
}

static void __exit overrun_exit(void)
{
}

module_init(overrun_init);
module_exit(overrun_exit);
MODULE_DESCRIPTION("Kprobes tests: a module that overruns a title");
MODULE_LICENSE("Dual BSD/GPL");
