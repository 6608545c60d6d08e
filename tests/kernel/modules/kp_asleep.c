// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_asleep.c - return probes on functions in which tasks sleep, some of them for ever.
 *
 * Owns: the probes, two for each of the functions named by "on"; one that cannot be probed is
 * said to be.
 */
#include <linux/module.h>
#include "rules.h"

#define FUNCTIONS_MAX 16
static char *on[FUNCTIONS_MAX];
static int on_nr;
module_param_array(on, charp, &on_nr, 0400);

static atomic_t entered;
static struct kretprobe probes[2 * FUNCTIONS_MAX];
static bool registered[2 * FUNCTIONS_MAX];

static int count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&entered);
	return 0;
}

static int __init asleep_init(void)
{
	int i;

	for (i = 0; i < 2 * on_nr; i++) {
		probes[i].kp.symbol_name = on[i / 2];
		probes[i].handler = count;
		if (i % 2)
			probes[i].entry_handler = count;
		registered[i] = !register_kretprobe(&probes[i]);
		if (!registered[i])
			pr_info("kp_asleep: not %s: %s\n", on[i / 2],
				probes[i].kp.reason ? probes[i].kp.reason : "there is none");
	}
	return 0;
}

static void __exit asleep_exit(void)
{
	int i;

	for (i = 0; i < 2 * on_nr; i++)
		if (registered[i])
			unregister_kretprobe(&probes[i]);
	expect("K-RET-61", "the functions in which tasks sleep were called", atomic_read(&entered) > 0);
}

module_init(asleep_init);
module_exit(asleep_exit);
MODULE_DESCRIPTION("Kprobes tests: return probes where tasks sleep");
MODULE_LICENSE("Dual BSD/GPL");
