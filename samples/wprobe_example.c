// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * wprobe_example.c - a watch probe that says who changes a variable.
 *
 * The same file makes wprobe_example.ko for a kernel and wprobe_example.so for a
 * process (samples/Makefile).  Parameters: symbol, offset, len.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <kprobes/watch.h>

static char symbol[KSYM_NAME_LEN] = "panic_timeout";
module_param_string(symbol, symbol, sizeof(symbol), 0444);
MODULE_PARM_DESC(symbol, "the variable to watch");

static uint offset;
module_param(offset, uint, 0444);
MODULE_PARM_DESC(offset, "bytes from its start");

static uint len = 4;
module_param(len, uint, 0444);
MODULE_PARM_DESC(len, "how many bytes");

static void changed(struct wprobe *wp, struct pt_regs *regs,
		    const struct kp_access *access)
{
	pr_info("%s+0x%x in %s (%d): %lu became %lu, ip 0x%lx\n",
		wp->kp.symbol_name, wp->kp.offset, current->comm, current->pid,
		access->before, access->after, instruction_pointer(regs));
}
NOKPROBE_SYMBOL(changed);

static struct wprobe probe = {
	.kp.symbol_name = symbol,
	.type = KP_WATCH_CHANGED,
	.handler = changed,
};

static int __init example_init(void)
{
	int err;

	probe.kp.offset = offset;
	probe.len = len;
	err = register_wprobe(&probe);
	if (err) {
		pr_err("%s+0x%x cannot be watched: error %d, %s\n", symbol,
		       offset, err, probe.kp.reason);
		return err;
	}
	pr_info("%s+0x%x is watched, at 0x%px\n", symbol, offset,
		probe.kp.addr);
	return 0;
}

static void __exit example_exit(void)
{
	unregister_wprobe(&probe);
	pr_info("%s+0x%x is not watched any more; %lu accesses were missed\n",
		symbol, offset, probe.kp.nmissed);
}

module_init(example_init);
module_exit(example_exit);
MODULE_DESCRIPTION("Says who changes a variable");
MODULE_LICENSE("Dual BSD/GPL");
