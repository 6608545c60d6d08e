// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_own.c - a module with probes that is unloaded while they are hit.
 *
 * Owns: probes of all kinds on kp_victim, which somebody keeps busy.  What its
 * handlers and its data are in is freed when it is unloaded.
 */
#include <linux/module.h>
#include "rules.h"
#include "targets.h"

static atomic_t hits, returned, jumped, entered;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_inc(&hits);
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&entered);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&returned);
	return 0;
}

static void on_jprobe(long n)
{
	atomic_inc(&jumped);
	jprobe_return();
}

static struct kprobe plain = { .symbol_name = "kp_victim:victim_work",
			       .pre_handler = on_pre };
static struct kprobe both = { .symbol_name = "kp_victim:victim_work",
			      .offset = VICTIM_SECOND, .pre_handler = on_pre,
			      .post_handler = on_post };
static struct kretprobe returns = { .kp.symbol_name = "kp_victim:victim_work",
				    .entry_handler = on_entry,
				    .handler = on_return };
static struct jprobe jumps = { .kp.symbol_name = "kp_victim:victim_work",
			       .entry = on_jprobe };

static void stop(void)
{
	unregister_jprobe(&jumps);
	unregister_kretprobe(&returns);
	unregister_kprobes((struct kprobe *[]){ &plain, &both }, 2);
}

static int __init own_init(void)
{
	int err = register_kprobes((struct kprobe *[]){ &plain, &both }, 2);

	if (err)
		return err;
	err = register_kretprobe(&returns);
	err = err ? err : register_jprobe(&jumps);
	if (err)
		stop();
	return err;
}

static void __exit own_exit(void)
{
	stop();
	pr_info("kp_own: %d hits, %d returns, %d jumps\n", atomic_read(&hits),
		atomic_read(&returned), atomic_read(&jumped));
	if (atomic_read(&entered) < atomic_read(&returned))
		expect("K-UNR-02", "no return without its call", false);
}

module_init(own_init);
module_exit(own_exit);
MODULE_DESCRIPTION("Kprobes tests: a module with probes that goes while they are hit");
MODULE_LICENSE("Dual BSD/GPL");
