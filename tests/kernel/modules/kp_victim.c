// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_victim.c - a module to be probed while it comes and goes.
 *
 * Owns: victim_work, and the parameter "work" that calls it n times when n is
 * written.  The targets are assembly, so that no ftrace site is at their entry.
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <asm/nospec-branch.h>

asm(".pushsection .text\n"
    ".globl victim_work\n.type victim_work, @function\n"
    "victim_work:\n"
    "	nop\n"
    "	lea 1(%rdi), %rax\n"
    "	" ASM_RET
    ".size victim_work, . - victim_work\n"
    ".globl victim_marked\n.type victim_marked, @function\n"
    "victim_marked:\n"
    "	nop\n"
    "	" ASM_RET
    ".size victim_marked, . - victim_marked\n"
    ".popsection\n"
    ".pushsection .init.text, \"ax\"\n"
    ".globl victim_early\n.type victim_early, @function\n"
    "victim_early:\n"
    "	nop\n"
    "	lea 2(%rdi), %rax\n"
    "	" ASM_RET
    ".size victim_early, . - victim_early\n"
    ".popsection\n");
long victim_work(long n);
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
	return err;
}

static int get_work(char *text, const struct kernel_param *param)
{
	return sprintf(text, "%ld\n", result);
}

static const struct kernel_param_ops work_ops = {
	.set = set_work,
	.get = get_work,
};
module_param_cb(work, &work_ops, NULL, 0600);

static int __init victim_init(void)
{
	result = victim_early(0);
	return 0;
}

static void __exit victim_exit(void)
{
}

module_init(victim_init);
module_exit(victim_exit);
MODULE_DESCRIPTION("Kprobes tests: a module to be probed");
MODULE_LICENSE("Dual BSD/GPL");
