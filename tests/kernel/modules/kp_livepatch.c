// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_livepatch.c - a live patch for a function of kp_beside.c.
 *
 * Owns: what does the same in its place, and how often it did.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

static ulong calls;
module_param(calls, ulong, 0400);

/* Callers on two CPUs: it is less than all, but not none. */
static noinline long beside_patched(long n)
{
	WRITE_ONCE(calls, calls + 1);
	return n + 3;
}

static struct klp_func functions[] = {
	{ .old_name = "beside_mended", .new_func = beside_patched },
	{ }
};

static struct klp_object objects[] = {
	{ .name = "kp_beside", .funcs = functions },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init livepatch_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit livepatch_exit(void)
{
}

module_init(livepatch_init);
module_exit(livepatch_exit);
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("Kprobes tests: a live patch beside probes");
MODULE_LICENSE("Dual BSD/GPL");
