// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hotspots.c - how often chosen instructions are executed.
 *
 * Owns: one probe for each "symbol" or "symbol+offset" of the parameter
 * "probes", and a report when the module goes: hits, missed hits, hits a
 * second, when the first one came and with which arguments, and whether the
 * probed text is again what it was.  An offset that lies inside an instruction
 * moves on to the next one.  Each place that cannot be probed is named; then
 * nothing is watched, unless skip=y says that the others are enough.
 *
 * The same file makes hotspots.ko for a kernel and hotspots.so for a process;
 * `make run` shows both.
 */
#define pr_fmt(fmt) "hotspots: " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define INSN_MAX 15

static char *probes;
module_param(probes, charp, 0444);
MODULE_PARM_DESC(probes, "what to watch: symbol[+offset],...");

static bool skip;
module_param(skip, bool, 0444);
MODULE_PARM_DESC(skip, "leave out what cannot be probed, and watch the rest");

struct spot {
	struct kprobe probe;
	atomic_long_t hits;
	u64 first;			/* when the first hit came */
	unsigned long args[3];		/* its arguments, at a function's entry */
	kprobe_opcode_t *addr;
	u8 text[INSN_MAX];		/* what stands there without a probe */
};

#ifdef __aarch64__
#define ARGUMENTS "its x0, x1, x2"
#else
#define ARGUMENTS "its di, si, dx"
#endif

static struct spot *spots;
static struct kprobe **all;		/* the same, as the API takes them */
static int spots_nr;
static u64 begin;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct spot *spot = container_of(p, struct spot, probe);

	if (atomic_long_inc_return(&spot->hits) == 1) {
		spot->first = ktime_get_mono_fast_ns();
		spot->args[0] = regs_get_kernel_argument(regs, 0);
		spot->args[1] = regs_get_kernel_argument(regs, 1);
		spot->args[2] = regs_get_kernel_argument(regs, 2);
	}
	return 0;
}
NOKPROBE_SYMBOL(on_hit);

/* ---- start ----------------------------------------------------------------- */

/* Still off; -EILSEQ says that the address lies inside an instruction. */
static int place(struct kprobe *p)
{
	unsigned int last = p->offset + INSN_MAX;
	int err;

	p->pre_handler = on_hit;
	do {
		p->addr = NULL;
		p->flags = KPROBE_FLAG_DISABLED;
		err = register_kprobe(p);
	} while (err == -EILSEQ && p->offset && p->offset++ < last);
	if (err)
		pr_err("%s+0x%x cannot be probed: error %d, %s\n",
		       p->symbol_name, p->offset, err, p->reason);
	return err;
}

/* "symbol[+offset]"; it stays in place, as the probe's name. */
static int parse(struct kprobe *p, char *word)
{
	char *plus = strchr(word, '+');

	p->symbol_name = word;
	if (!plus)
		return 0;
	*plus++ = 0;
	if (!kstrtouint(plus, 0, &p->offset))
		return 0;
	pr_err("%s+%s: the offset is not a number\n", word, plus);
	return -EINVAL;
}

/* The first error, but all are said. */
static int place_all(void)
{
	char *rest = probes, *word;
	int first = 0, err, left = 0;

	while ((word = strsep(&rest, ","))) {
		struct kprobe *p = &spots[spots_nr].probe;

		err = parse(p, word);
		if (!err)
			err = place(p);
		if (err) {
			memset(p, 0, sizeof(*p));
			first = first ? first : err;
			left++;
			continue;
		}
		all[spots_nr++] = p;
	}
	if (!left)
		return 0;
	if (!spots_nr || !skip) {
		if (spots_nr)
			pr_err("%d of %d places cannot be probed; skip=y watches the others\n",
			       left, left + spots_nr);
		return first;
	}
	pr_info("%d of %d places are left out\n", left, left + spots_nr);
	return 0;
}

/* All texts are read before the first probe changes any. */
static int enable_all(void)
{
	int i, err = 0;

	for (i = 0; i < spots_nr && !err; i++) {
		spots[i].addr = all[i]->addr;
		err = copy_from_kernel_nofault(spots[i].text, spots[i].addr,
					       INSN_MAX);
	}
	begin = ktime_get_mono_fast_ns();
	for (i = 0; i < spots_nr && !err; i++)
		err = enable_kprobe(all[i]);
	return err;
}

static int __init hotspots_init(void)
{
	int nr = 1, err = -ENOMEM;
	char *at;

	if (!probes || !*probes) {
		pr_err("nothing to watch: probes=symbol[+offset],...\n");
		return -EINVAL;
	}
	for (at = probes; *at; at++)
		nr += *at == ',';
	spots = kcalloc(nr, sizeof(*spots), GFP_KERNEL);
	all = kcalloc(nr, sizeof(*all), GFP_KERNEL);
	if (!spots || !all)
		goto free;
	err = place_all();
	if (!err)
		err = enable_all();
	if (err)
		goto unregister;
	pr_info("%d probes are on\n", spots_nr);
	return 0;

unregister:
	if (spots_nr)
		unregister_kprobes(all, spots_nr);
free:
	kfree(all);
	kfree(spots);
	return err;
}

/* ---- report ---------------------------------------------------------------- */

static void report_spot(struct spot *spot, u64 end)
{
	unsigned long hits = atomic_long_read(&spot->hits);
	unsigned long first_us = (spot->first - begin) / NSEC_PER_USEC;
	unsigned long run_us = (end - spot->first) / NSEC_PER_USEC + 1;

	if (!hits) {
		pr_info("%px %-42pS %8d %6lu\n", spot->addr, spot->addr, 0,
			spot->probe.nmissed);
		return;
	}
	pr_info("%px %-42pS %8lu %6lu %8lu %6lu.%03lu  %lx, %lx, %lx\n",
		spot->addr, spot->addr, hits, spot->probe.nmissed,
		hits * 1000000 / run_us, first_us / 1000, first_us % 1000,
		spot->args[0], spot->args[1], spot->args[2]);
}

static bool is_restored(const struct spot *spot)
{
	u8 now[INSN_MAX];

	return !copy_from_kernel_nofault(now, spot->addr, INSN_MAX) &&
	       !memcmp(now, spot->text, INSN_MAX);
}

static int count_restored(void)
{
	int i, nr = 0;

	for (i = 0; i < spots_nr; i++)
		nr += is_restored(&spots[i]);
	return nr;
}

static void __exit hotspots_exit(void)
{
	u64 end = ktime_get_mono_fast_ns();
	int i, tries;

	unregister_kprobes(all, spots_nr);
	/* A jump is put back a moment after its probe is gone. */
	for (tries = 0; tries < 100 && count_restored() < spots_nr; tries++)
		msleep(10);
	pr_info("%-16s %-42s %8s %6s %8s %10s  %s\n", "address",
		"symbol+offset/size [module]", "hits", "missed", "hits/s",
		"first, ms", ARGUMENTS);
	for (i = 0; i < spots_nr; i++)
		report_spot(&spots[i], end);
	pr_info("text restored at %d of %d places\n", count_restored(),
		spots_nr);
	kfree(all);
	kfree(spots);
}

module_init(hotspots_init);
module_exit(hotspots_exit);
MODULE_DESCRIPTION("Counts how often chosen instructions are executed");
MODULE_LICENSE("Dual BSD/GPL");
