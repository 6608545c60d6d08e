// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * init.c - the kernel module.
 *
 * Owns: the order of start and stop, and the exported names.
 *
 * Unloading: consumers hold a reference through the symbols they use, so
 * normally nothing is registered any more.  Stop restores all text first, and
 * the module's memory goes only when nobody can be in it.
 */
#include "compat/exports.h"
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <kprobes/control.h>
#include <kprobes/watch.h>
#include "local.h"

EXPORT_SYMBOL_GPL(register_kprobe);
EXPORT_SYMBOL_GPL(unregister_kprobe);
EXPORT_SYMBOL_GPL(register_kprobes);
EXPORT_SYMBOL_GPL(unregister_kprobes);
EXPORT_SYMBOL_GPL(enable_kprobe);
EXPORT_SYMBOL_GPL(disable_kprobe);
EXPORT_SYMBOL_GPL(register_kretprobe);
EXPORT_SYMBOL_GPL(unregister_kretprobe);
EXPORT_SYMBOL_GPL(register_kretprobes);
EXPORT_SYMBOL_GPL(unregister_kretprobes);
EXPORT_SYMBOL_GPL(enable_kretprobe);
EXPORT_SYMBOL_GPL(disable_kretprobe);
EXPORT_SYMBOL_GPL(kretprobe_find_ret_addr);
EXPORT_SYMBOL_GPL(is_kretprobe_trampoline);
EXPORT_SYMBOL_GPL(kprobes_set_enabled);
EXPORT_SYMBOL_GPL(kprobes_is_enabled);
EXPORT_SYMBOL_GPL(kprobes_set_optimization);
EXPORT_SYMBOL_GPL(kprobes_optimization);
EXPORT_SYMBOL_GPL(kprobes_flush);
EXPORT_SYMBOL_GPL(kprobes_switch);
EXPORT_SYMBOL_GPL(kprobes_list);
EXPORT_SYMBOL_GPL(kprobes_blacklist);
EXPORT_SYMBOL_GPL(kprobes_original_address);
EXPORT_SYMBOL_GPL(register_jprobe);
EXPORT_SYMBOL_GPL(unregister_jprobe);
EXPORT_SYMBOL_GPL(register_jprobes);
EXPORT_SYMBOL_GPL(unregister_jprobes);
EXPORT_SYMBOL_GPL(jprobe_return);
EXPORT_SYMBOL_GPL(register_wprobe);
EXPORT_SYMBOL_GPL(unregister_wprobe);
EXPORT_SYMBOL_GPL(register_wprobes);
EXPORT_SYMBOL_GPL(unregister_wprobes);
EXPORT_SYMBOL_GPL(enable_wprobe);
EXPORT_SYMBOL_GPL(disable_wprobe);

/* The text cannot go while someone may be in a slot: rmmod waits. */
static void stop_core(void)
{
	while (kp_core_stop()) {
		pr_warn("kprobes: unloading waits: a task may still be executing a copied instruction, or a probed place cannot be restored\n");
		msleep(1000);
	}
}

static int __init kp_init(void)
{
	int err = kp_symbols_start();

	if (err)
		return err;
	kp_text_start();
	err = kp_calls_start();
	if (err)
		return err;
	kp_rcu_start();
	kp_ftrace_start();
	err = kp_reserved_start();
	if (err)
		return err;
	err = kp_exec_start();
	if (err)
		goto stop_reserved;
	kp_noprobe_start();
	err = kp_trap_start();
	if (err)
		goto stop_core;
	err = kp_modules_start();
	if (err)
		goto stop_trap;
	err = kp_selftest_start();
	if (err)
		goto stop_modules;
	kp_fault_start();
	kp_backtrace_start();
	kp_short_start();
	kp_debugreg_start();
	kp_selftest_short();
	kp_core_set_optimization(true);
	kp_selftest_jumps();
	kp_selftest_tracer();
	kp_debugfs_start();
	kp_sysctl_start();
	return 0;

stop_modules:
	kp_noprobe_stop();
	kp_modules_stop();
	kp_returns_stop();
stop_trap:
	kp_trap_stop();
stop_core:
	stop_core();
	kp_exec_stop();
stop_reserved:
	kp_reserved_stop();
	return err;
}

static void __exit kp_exit(void)
{
	kp_sysctl_stop();
	kp_debugfs_stop();
	kp_noprobe_stop();
	stop_core();
	/* Later: while we wait, text with a jump of ours may still go. */
	kp_modules_stop();
	kp_returns_stop();
	kp_debugreg_stop();
	kp_intercept_stop();
	kp_short_stop();
	kp_trap_stop();
	kp_ftrace_stop();
	kp_exec_stop();
	kp_reserved_stop();
}

module_init(kp_init);
module_exit(kp_exit);
MODULE_DESCRIPTION("Kprobes, independent of CONFIG_KPROBES");
MODULE_LICENSE("Dual BSD/GPL");
