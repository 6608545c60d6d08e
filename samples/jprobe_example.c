// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * jprobe_example.c - a function's arguments, seen with their types.
 *
 * The same file makes jprobe_example.ko for a kernel and jprobe_example.so for
 * a process (samples/Makefile).  Parameter: func, a function whose arguments
 * have the types of strtol's; the first may be any pointer.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static char func[KSYM_NAME_LEN] = "seq_read";
module_param_string(func, func, sizeof(func), 0444);
MODULE_PARM_DESC(func, "the function to probe");

/* The prototype is the probed function's; only copies get here. */
static long on_call(const void *first, void *second, int third)
{
	pr_info("%s in %s (%d): %px, %px, %d\n", func, current->comm,
		current->pid, first, second, third);
	jprobe_return();
	return 0;			/* never: jprobe_return does not return */
}
NOKPROBE_SYMBOL(on_call);

static struct jprobe probe = {
	.kp.symbol_name = func,
	.entry = JPROBE_ENTRY(on_call),
};

static int __init example_init(void)
{
	int err = register_jprobe(&probe);

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
	unregister_jprobe(&probe);
	pr_info("%s is not probed any more; %lu calls were missed\n", func,
		probe.kp.nmissed);
}

module_init(example_init);
module_exit(example_exit);
MODULE_DESCRIPTION("Says what a function is called with");
MODULE_LICENSE("Dual BSD/GPL");
