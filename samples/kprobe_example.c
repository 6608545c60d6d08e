// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kprobe_example.c - a probe that says when one instruction is executed.
 *
 * The same file makes kprobe_example.ko for a kernel and kprobe_example.so for
 * a process (samples/Makefile).  Parameters: symbol, offset.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static char symbol[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(symbol, symbol, sizeof(symbol), 0444);
MODULE_PARM_DESC(symbol, "the function to probe");

static uint offset;
module_param(offset, uint, 0444);
MODULE_PARM_DESC(offset, "bytes from its start to the instruction");

static int before(struct kprobe *p, struct pt_regs *regs)
{
	pr_info("%s+0x%x in %s (%d): before, ip 0x%lx, sp 0x%lx\n",
		p->symbol_name, p->offset, current->comm, current->pid,
		instruction_pointer(regs), kernel_stack_pointer(regs));
	return 0;			/* execute the instruction */
}
NOKPROBE_SYMBOL(before);

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	pr_info("%s+0x%x: after, ip 0x%lx\n", p->symbol_name, p->offset,
		instruction_pointer(regs));
}
NOKPROBE_SYMBOL(after);

static struct kprobe probe = {
	.symbol_name = symbol,
	.pre_handler = before,
	.post_handler = after,
};

static int __init example_init(void)
{
	int err;

	probe.offset = offset;
	err = register_kprobe(&probe);
	if (err) {
		pr_err("%s+0x%x cannot be probed: error %d, %s\n", symbol,
		       offset, err, probe.reason);
		return err;
	}
	pr_info("%s+0x%x is probed, at 0x%px\n", symbol, offset, probe.addr);
	return 0;
}

static void __exit example_exit(void)
{
	unregister_kprobe(&probe);
	pr_info("%s+0x%x is not probed any more; %lu hits were missed\n",
		symbol, offset, probe.nmissed);
}

module_init(example_init);
module_exit(example_exit);
MODULE_DESCRIPTION("Says when one instruction is executed");
MODULE_LICENSE("Dual BSD/GPL");
