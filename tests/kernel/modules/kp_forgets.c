// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_forgets.c - a module that goes and leaves its probes registered.
 *
 * Owns: probes of all kinds on kp_victim, some of them off; a return probe in which tasks sleep;
 * and what is watched is written all the time.  mode: where their structs are.
 *
 *   struct   in the module
 *   heap     on the heap, where nobody frees them
 *   init     in the module, whose init function then fails
 *   begins   in its memory for starting, which goes when that is over
 *   freed    a few, where there is no memory any more, while they are registered
 *   ro       in memory that is read-only when the module has started; one of them misses hits
 *   lent     in the module; the handlers, at "lent", are another module's
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <kprobes/watch.h>
#include "rules.h"
#include "targets.h"

static char *mode = "struct";
module_param(mode, charp, 0400);
static ulong lent;
module_param(lent, ulong, 0400);

static atomic_t hits;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_inc(&hits);
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}

static void on_jprobe(long n)
{
	atomic_inc(&hits);
	jprobe_return();
}

static void on_access(struct wprobe *wp, struct pt_regs *regs, const struct kp_access *access)
{
	atomic_inc(&hits);
}

#define PLAIN 5
struct probes {
	struct kprobe plain[PLAIN];
	struct kretprobe returns, sleeps;
	struct jprobe jumps;
	struct wprobe watches;
};

static struct probes mine;
static struct kprobe begins __initdata;

static void fill(struct probes *probes)
{
	int i;

	memset(probes, 0, sizeof(*probes));
	for (i = 0; i < PLAIN; i++)
		probes->plain[i] = (struct kprobe){ .symbol_name = "kp_victim:victim_work",
						    .pre_handler = on_pre };
	probes->plain[1].post_handler = on_post;
	probes->plain[1].offset = VICTIM_SECOND;
	probes->plain[2].pre_handler = NULL;
	probes->plain[2].fault_handler = on_fault;
	probes->plain[3].flags = KPROBE_FLAG_DISABLED;
	probes->plain[4].symbol_name = "kp_victim:victim_other";
	probes->returns = (struct kretprobe){ .kp.symbol_name = "kp_victim:victim_work",
					      .entry_handler = on_call, .handler = on_call };
	probes->sleeps = (struct kretprobe){ .kp.symbol_name = "hrtimer_nanosleep",
					     .handler = on_call };
	probes->jumps = (struct jprobe){ .kp.symbol_name = "kp_victim:victim_work",
					 .entry = on_jprobe };
	probes->watches = (struct wprobe){ .kp.addr = (kprobe_opcode_t *)&jiffies,
					   .handler = on_access, .type = KP_WATCH_WRITE,
					   .len = sizeof(jiffies) };
}

static int enter(struct probes *probes)
{
	struct kprobe *plain[PLAIN];
	struct kretprobe *returns[] = { &probes->returns, &probes->sleeps };
	int i, err;

	fill(probes);
	for (i = 0; i < PLAIN; i++)
		plain[i] = &probes->plain[i];
	err = register_kprobes(plain, PLAIN);
	err = err ? err : register_kretprobes(returns, 2);
	err = err ? err : register_jprobe(&probes->jumps);
	/* Where there are debug registers. */
	if (!err && register_wprobe(&probes->watches))
		pr_info("kp_forgets: nothing is watched: %s\n", probes->watches.kp.reason);
	return err;
}

/* Their memory is unmapped, lest a look at it does no harm. */
static int enter_freed(void)
{
	struct probes *probes = vmalloc(sizeof(*probes));
	int err;

	if (!probes)
		return -ENOMEM;
	fill(probes);
	err = register_kprobe(&probes->plain[0]);
	err = err ? err : register_kprobe(&probes->plain[1]);
	err = err ? err : register_kprobe(&probes->plain[4]);
	err = err ? err : register_kretprobe(&probes->returns);
	vfree(probes);
	/* Unmapping is put off until there is more to do. */
	vm_unmap_aliases();
	return err;
}

/* ---- read-only, when it has started --------------------------------------- */

static struct kprobe outer __ro_after_init, inner __ro_after_init;

notrace noinline __attribute__((noipa)) long forgets_leaf(long n);
notrace noinline __attribute__((noipa)) long forgets_leaf(long n)
{
	barrier();
	return n + 1;
}

/* A hit in a handler is missed, which is counted in the struct. */
static int on_outer(struct kprobe *p, struct pt_regs *regs)
{
	forgets_leaf(1);
	atomic_inc(&hits);
	return 0;
}

static int __init enter_ro(void)
{
	int err;

	outer = (struct kprobe){ .symbol_name = "kp_victim:victim_work", .pre_handler = on_outer };
	inner = (struct kprobe){ .addr = (kprobe_opcode_t *)forgets_leaf, .pre_handler = on_pre };
	err = register_kprobe(&inner);
	return err ? err : register_kprobe(&outer);
}

/* ---- another's handlers --------------------------------------------------- */

static struct kretprobe borrows;
static struct kprobe borrows_pre;

static int __init enter_lent(void)
{
	int err;

	borrows = (struct kretprobe){ .kp.symbol_name = "kp_victim:victim_work",
				      .handler = (kretprobe_handler_t)lent };
	borrows_pre = (struct kprobe){ .symbol_name = "kp_victim:victim_other",
				       .pre_handler = (kprobe_pre_handler_t)lent };
	err = register_kretprobe(&borrows);
	return err ? err : register_kprobe(&borrows_pre);
}

static int __init forgets_init(void)
{
	struct probes *heap;
	int err;

	if (!strcmp(mode, "freed"))
		return enter_freed();
	if (!strcmp(mode, "ro"))
		return enter_ro();
	if (!strcmp(mode, "lent"))
		return enter_lent();
	if (!strcmp(mode, "begins")) {
		begins.symbol_name = "kp_victim:victim_work";
		begins.pre_handler = on_pre;
		return register_kprobe(&begins);
	}
	if (!strcmp(mode, "heap")) {
		heap = kzalloc(sizeof(*heap), GFP_KERNEL);
		return heap ? enter(heap) : -ENOMEM;
	}
	err = enter(&mine);
	return err ? err : strcmp(mode, "init") ? 0 : -ENODEV;
}

static void __exit forgets_exit(void)
{
	/* They are gone; it does no harm. */
	if (!strcmp(mode, "lent")) {
		unregister_kretprobe(&borrows);
		unregister_kprobe(&borrows_pre);
	}
	pr_info("kp_forgets: %s: %d hits\n", mode, atomic_read(&hits));
}

module_init(forgets_init);
module_exit(forgets_exit);
MODULE_DESCRIPTION("Kprobes tests: a module that leaves its probes registered");
MODULE_LICENSE("Dual BSD/GPL");
