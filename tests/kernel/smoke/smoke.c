// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Owns nothing: the smallest module there is, to show that one can be built
// for a test kernel and loaded there. With warn=1 it makes the kernel complain,
// to show that the log scan notices.

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/module.h>

static bool warn;
module_param(warn, bool, 0444);

static int __init smoke_init(void)
{
	pr_info("loaded\n");
	WARN(warn, "smoke: a warning on request\n");
	return 0;
}

static void __exit smoke_exit(void)
{
	pr_info("unloaded\n");
}

module_init(smoke_init);
module_exit(smoke_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Shows that a module builds and loads");
