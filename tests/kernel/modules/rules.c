// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rules.c - owns the module of kernel-only rules: its start and its end. */
#include <linux/module.h>
#include "rules.h"
#include "targets.h"

static bool only_modules;	/* leave out what needs no script */
module_param(only_modules, bool, 0400);
static bool list;		/* with probes for a look at the list */
module_param(list, bool, 0400);

static int __init rules_init(void)
{
	if (!only_modules) {
		reserved_rules();
		fault_rules();
		trace_rules();
		if (!IS_ENABLED(CONFIG_RISCV) && !IS_ENABLED(CONFIG_MIPS) && !IS_ENABLED(CONFIG_ARM))
			watch_rules();
		MACHINE_RULES();
	}
	if (list)
		list_start();
	return module_rules_start();
}

static void __exit rules_exit(void)
{
	if (list)
		list_stop();
	module_rules_stop();
}

module_init(rules_init);
module_exit(rules_exit);
MODULE_DESCRIPTION("Kprobes tests: rules that only a kernel has");
MODULE_LICENSE("Dual BSD/GPL");
