// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kretprobe_example.c - what a function returns, and how long it takes.
 *
 * The same file makes kretprobe_example.ko for a kernel and
 * kretprobe_example.so for a process (samples/Makefile).  Parameters: func,
 * maxactive.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

static char func[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(func, func, sizeof(func), 0444);
MODULE_PARM_DESC(func, "the function to probe");

static int maxactive;
module_param(maxactive, int, 0444);
MODULE_PARM_DESC(maxactive, "calls watched at a time; 0 chooses");

/* One of these for each call that has not returned yet. */
struct call {
	u64 start;
};

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	/* A handler may have interrupted the clock's update: not ktime_get. */
	call->start = ktime_get_mono_fast_ns();
	return 0;			/* watch this call */
}
NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	pr_info("%s in %s (%d) returned %ld after %lld ns\n", func,
		current->comm, current->pid, (long)regs_return_value(regs),
		(long long)(ktime_get_mono_fast_ns() - call->start));
	return 0;
}
NOKPROBE_SYMBOL(on_return);

static struct kretprobe probe = {
	.kp.symbol_name = func,
	.entry_handler = on_entry,
	.handler = on_return,
	.data_size = sizeof(struct call),
};

static int __init example_init(void)
{
	int err;

	probe.maxactive = maxactive;
	err = register_kretprobe(&probe);
	if (err) {
		pr_err("%s cannot be probed: error %d, %s\n", func, err,
		       probe.kp.reason);
		return err;
	}
	pr_info("%s is probed, at 0x%px\n", func, probe.kp.addr);
	return 0;
}

static void __exit example_exit(void)
{
	unregister_kretprobe(&probe);
	pr_info("%s is not probed any more; %d calls were missed\n", func,
		probe.nmissed);
}

module_init(example_init);
module_exit(example_exit);
MODULE_DESCRIPTION("Says what a function returns and how long it takes");
MODULE_LICENSE("Dual BSD/GPL");
