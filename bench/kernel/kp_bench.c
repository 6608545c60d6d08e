// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_bench.c - what a hit costs in a kernel.
 *
 * Owns: the targets and the loops.  One source, compiled twice: against our
 * engine and against the kernel's own Kprobes, so that both are measured in
 * one boot by the same instructions.  Under `-icount shift=0` the processor's
 * counter of cycles counts instructions; a figure is the cheapest call of a round,
 * with interrupts off, minus that of the bare call.  Without the counter a figure is
 * nanoseconds: of many calls, the cheapest round's.
 *
 * Each figure is one line of the kernel log: KP-BENCH what value.  Loading the
 * module measures; but what=trace measures whenever a name is written to "row", with
 * the probes that others have set (trace.c).
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>
#ifdef BENCH_OWN
#include <kprobes/control.h>
#endif
#include "machine.h"

#ifndef BENCH_CALLS
#define BENCH_CALLS 1			/* counted at once */
#endif

static char *what = "hits";		/* hits, time, batch or trace */
module_param(what, charp, 0400);
static char *label = "";		/* goes in front of each figure's name */
module_param(label, charp, 0400);
static bool jumps = true;		/* ours only: optimization */
module_param(jumps, bool, 0400);
static int nr = 10000;			/* of probes in a batch */
module_param(nr, int, 0400);
static int rounds = 200;
module_param(rounds, int, 0400);
static int settle_ms = 1500;		/* until a probe is as fast as it gets */
module_param(settle_ms, int, 0400);

long bench_target(long n);

/* A C function whose first instruction is shorter than a jump. */
static noinline notrace __attribute__((noipa)) long plain_target(long n)
{
	return n + 1;
}

/* A function with an ftrace site, where the kernel has such. */
static noinline __attribute__((noipa)) long traced_target(long n)
{
	barrier();
	return n;
}

static long (*target)(long) = bench_target;

static unsigned long hits;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

/* Handlers that people write: one calls a function, one looks something up. */
static unsigned long by_bit[2];

static noinline __attribute__((noipa)) void note(unsigned long arg)
{
	by_bit[arg & 1]++;
}

static int on_pre_call(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	note(bench_argument(regs));
	return 0;
}

static long weight[64] = { [0 ... 63] = 1 };
static atomic_long_t weighed;

static int on_pre_table(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_add(READ_ONCE(weight[bench_argument(regs) % 64]), &weighed);
	return 0;
}

static unsigned long seen(void)
{
	return hits + atomic_long_read(&weighed);
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits++;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

#define TIMED_ROUNDS 20
#define TIMED_CALLS 500

static unsigned long call_time(void)
{
	unsigned long best = ~0ul, took;
	int i, j;

	for (i = 0; i < TIMED_ROUNDS; i++) {
		u64 start = ktime_get_ns();

		for (j = 0; j < TIMED_CALLS; j++)
			target(j);
		took = div_u64(ktime_get_ns() - start, TIMED_CALLS);
		best = min(best, took);
	}
	return best;
}

/* The cheapest of the calls. */
static unsigned long call_cost(void)
{
	unsigned long best = ~0ul, flags, took;
	int i, j;

	if (!strcmp(what, "time"))
		return call_time();

	for (i = 0; i < rounds; i++) {
		u64 start;

		local_irq_save(flags);
		start = bench_count();
		for (j = 0; j < BENCH_CALLS; j++)
			target(i);
		took = (unsigned long)(bench_count() - start) / BENCH_CALLS;
		local_irq_restore(flags);
		best = min(best, took);
	}
	return best;
}

static unsigned long bare;

static void figure(const char *name, int err, u32 flags)
{
	unsigned long before = seen(), cost;

	if (err) {
		pr_info("KP-BENCH %s%s failed %d\n", label, name, err);
		return;
	}
	msleep(settle_ms);
	cost = call_cost() - bare;
	pr_info("KP-BENCH %s%s %ld%s\n", label, name, cost,
		seen() - before < rounds ? " missed" : "");
}

/* What hits with a post_handler need stays in a place's jump until that goes, a little later. */
static void forget_post(void)
{
#ifdef BENCH_OWN
	kprobes_flush();
#endif
}

static void probe_cost(const char *name, void *addr, kprobe_pre_handler_t pre,
		       bool post)
{
	struct kprobe p = {
		.addr = addr,
		.pre_handler = pre,
		.post_handler = post ? on_post : NULL,
	};
	int err = register_kprobe(&p);

	figure(name, err, p.flags);
	if (!err)
		unregister_kprobe(&p);
	if (post)
		forget_post();
}

static void return_cost(const char *name, kretprobe_handler_t entry)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)target,
		.handler = on_return,
		.entry_handler = entry,
		.maxactive = 20,
	};
	int err = register_kretprobe(&rp);

	figure(name, err, rp.kp.flags);
	if (!err)
		unregister_kretprobe(&rp);
}

/* A return probe, then one with a post_handler only, at the same address. */
static void same_cost(const char *name)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)target,
		.handler = on_return,
		.maxactive = 16,
	};
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)target,
		.post_handler = on_post,
	};
	int err = register_kretprobe(&rp);

	if (err) {
		figure(name, err, 0);
		return;
	}
	err = register_kprobe(&p);
	figure(name, err, p.flags);
	if (!err)
		unregister_kprobe(&p);
	unregister_kretprobe(&rp);
	forget_post();
}

/* A return probe and a breakpoint on one call: two probes. */
static void both_cost(const char *name)
{
	struct kprobe p = { .addr = bench_short, .pre_handler = on_pre };
	int err = register_kprobe(&p);

	if (err) {
		figure(name, err, 0);
		return;
	}
	return_cost(name, NULL);
	unregister_kprobe(&p);
}

#define MANY 8

static void many_cost(const char *name, int n)
{
	static struct kprobe many[MANY];
	int i, err = 0;

	for (i = 0; i < n && !err; i++) {
		many[i] = (struct kprobe){ .addr = (kprobe_opcode_t *)bench_target,
					   .pre_handler = on_pre };
		err = register_kprobe(&many[i]);
	}
	figure(name, err, 0);
	while (i--)
		unregister_kprobe(&many[i]);
}

#ifdef BENCH_OWN	/* the kernel's own has none since 4.15 */
static long on_jump(long n)
{
	hits++;
	jprobe_return();
	return 0;
}

static void jprobe_cost(const char *name, bool returns)
{
	struct jprobe jp = { .kp.addr = (kprobe_opcode_t *)target,
			     .entry = on_jump };
	int err = register_jprobe(&jp);

	if (!err && returns)
		return_cost(name, NULL);
	else
		figure(name, err, 0);
	if (!err)
		unregister_jprobe(&jp);
}
#endif

static void measure_bare(long (*fn)(long))
{
	target = fn;
	bare = call_cost();
	bare = min(bare, call_cost());
}

/* The cost of what is on bench_target now. */
static int set_row(const char *text, const struct kernel_param *param)
{
	/* The first time all keys are new. */
	call_cost();
	pr_info("KP-BENCH %s%s %ld\n", label, text, call_cost() - bare);
	return 0;
}

static const struct kernel_param_ops row_ops = { .set = set_row };
module_param_cb(row, &row_ops, NULL, 0200);

static void measure_traced(void)
{
	measure_bare(traced_target);
	probe_cost("ftrace", traced_target, on_pre, false);
	probe_cost("ftrace+post", traced_target, on_pre, true);
	return_cost("ftrace+return", NULL);
#ifdef BENCH_OWN	/* unregistering them, Debian's 6.1 crashes */
	same_cost("ftrace+return+post");
#endif
}

static void measure_hits(void)
{
	measure_bare(bench_target);
	probe_cost("pre", bench_target, on_pre, false);
	probe_cost("short", bench_short, on_pre, false);
	probe_cost("post", bench_target, on_pre, true);
	probe_cost("calling", bench_target, on_pre_call, false);
	probe_cost("table", bench_target, on_pre_table, false);
	return_cost("return", NULL);
	return_cost("return+entry", on_return);
	both_cost("return+probe");
	same_cost("return+post");
#ifdef BENCH_OWN
	jprobe_cost("jprobe", false);
	jprobe_cost("jprobe+return", true);
#endif
	many_cost("two", 2);
	many_cost("four", 4);
	many_cost("eight", 8);
	measure_bare(plain_target);
	probe_cost("plain+post", plain_target, on_pre, true);
	same_cost("plain+return+post");
	if (BENCH_TRACER_SITES)
		measure_traced();
	/* Last: a MIPS kernel's own Kprobes call no handler from then on. */
	measure_bare(bench_target);
	probe_cost("jump", bench_jump, on_pre, false);
	probe_cost("call", bench_call, on_pre, false);
}

/* ---- batches ------------------------------------------------------------- */

#define SITES 10000

asm(".pushsection .text\n.balign 16\n"
    BENCH_FUNCTION("bench_sites")
    ".rept " __stringify(SITES) "\n"
    BENCH_SITE
    ".endr\n"
    ".size bench_sites, . - bench_sites\n.popsection\n");
extern char bench_sites[];

static s64 since_us(ktime_t start)
{
	return ktime_to_us(ktime_sub(ktime_get(), start));
}

static int measure_batch(void)
{
	struct kprobe *probes = kvcalloc(nr, sizeof(*probes), GFP_KERNEL);
	struct kprobe **list = kvcalloc(nr, sizeof(*list), GFP_KERNEL);
	ktime_t start;
	int i, err = -ENOMEM;

	if (nr > SITES || !probes || !list)
		goto free;
	for (i = 0; i < nr; i++) {
		probes[i].addr = (kprobe_opcode_t *)(bench_sites + 16 * i);
		probes[i].pre_handler = on_pre;
		list[i] = &probes[i];
	}
	start = ktime_get();
	err = register_kprobes(list, nr);
	pr_info("KP-BENCH %sregister_%d %lld%s\n", label, nr,
		since_us(start), err ? " failed" : "");
	if (!err) {
		msleep(settle_ms);
		start = ktime_get();
		unregister_kprobes(list, nr);
		pr_info("KP-BENCH %sunregister_%d %lld\n", label, nr,
			since_us(start));
	}
free:
	kvfree(probes);
	kvfree(list);
	return err;
}

static int __init bench_init(void)
{
	bench_count_start();
#ifdef BENCH_OWN
	kprobes_set_optimization(jumps);
#endif
	if (!strcmp(what, "batch"))
		measure_batch();
	else if (!strcmp(what, "trace"))
		measure_bare(bench_target);
	else
		measure_hits();
	return 0;
}

static void __exit bench_exit(void)
{
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("Kprobes: what a hit costs");
MODULE_LICENSE("Dual BSD/GPL");
