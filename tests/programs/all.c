// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * all.c - a probe module: a kprobe, or a return probe, on every address of a file.
 *
 * The file has a number in hexadecimal digits a line.  What is refused is
 * counted, and the first reason said.
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In any other process than this one it does nothing. */
static int pid;
module_param(pid, int, 0444);
static int returns;
module_param(returns, int, 0444);
static char file[1000];
module_param_string(file, file, sizeof(file), 0444);

#define BATCH 256

static struct kprobe *kps, **kp_refs;
static struct kretprobe *rps, **rp_refs;
static int nr, refused;
static long hits;		/* atomic */
static const char *why;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

static void refuse(const struct kprobe *p)
{
	why = why ? why : p->reason;
	refused++;
}

/* All of them, or each that is accepted. */
static void add_kprobes(struct kprobe **refs, int count)
{
	int i;

	if (!register_kprobes(refs, count)) {
		for (i = 0; i < count; i++)
			kp_refs[nr++] = refs[i];
		return;
	}
	for (i = 0; i < count; i++) {
		kprobe_opcode_t *addr = refs[i]->addr;

		*refs[i] = (struct kprobe){ .addr = addr, .pre_handler = on_hit };
		if (register_kprobe(refs[i]))
			refuse(refs[i]);
		else
			kp_refs[nr++] = refs[i];
	}
}

static void add_returns(struct kretprobe **refs, int count)
{
	int i;

	if (!register_kretprobes(refs, count)) {
		for (i = 0; i < count; i++)
			rp_refs[nr++] = refs[i];
		return;
	}
	for (i = 0; i < count; i++) {
		kprobe_opcode_t *addr = refs[i]->kp.addr;

		*refs[i] = (struct kretprobe){ .kp.addr = addr,
					       .handler = on_return };
		if (register_kretprobe(refs[i]))
			refuse(&refs[i]->kp);
		else
			rp_refs[nr++] = refs[i];
	}
}

static void add(char *text, int count)
{
	struct kretprobe *rp_batch[BATCH];
	struct kprobe *kp_batch[BATCH];
	int i, waiting = 0;

	for (i = 0; i < count; i++) {
		void *addr = (void *)strtoul(text, &text, 16);

		if (returns) {
			rps[i].kp.addr = addr;
			rps[i].handler = on_return;
			rp_batch[waiting++] = &rps[i];
		} else {
			kps[i].addr = addr;
			kps[i].pre_handler = on_hit;
			kp_batch[waiting++] = &kps[i];
		}
		if (waiting < BATCH && i + 1 < count)
			continue;
		if (returns)
			add_returns(rp_batch, waiting);
		else
			add_kprobes(kp_batch, waiting);
		waiting = 0;
	}
}

static char *contents(int *lines)
{
	FILE *in = fopen(file, "r");
	char *text = NULL, *at;
	size_t room = 0;

	if (in && getdelim(&text, &room, 0, in) <= 0) {
		free(text);
		text = NULL;
	}
	if (in)
		fclose(in);
	for (at = text, *lines = 0; at && (at = strchr(at, '\n')); at++)
		++*lines;
	return text;
}

static int __init all_init(void)
{
	int count;
	char *text;

	if (getpid() != pid)
		return 0;
	text = contents(&count);
	if (!text || !count)
		return -ENOENT;
	kps = kcalloc((size_t)count, sizeof(*kps), GFP_KERNEL);
	kp_refs = kcalloc((size_t)count, sizeof(*kp_refs), GFP_KERNEL);
	rps = kcalloc((size_t)count, sizeof(*rps), GFP_KERNEL);
	rp_refs = kcalloc((size_t)count, sizeof(*rp_refs), GFP_KERNEL);
	if (kps && kp_refs && rps && rp_refs)
		add(text, count);
	free(text);
	pr_info("all: %d of %d, %d refused%s%s\n", nr, count, refused,
		why ? ": " : "", why ? why : "");
	return 0;
}

static void __exit all_exit(void)
{
	long missed = 0;
	int i;

	if (getpid() != pid)
		return;
	if (returns)
		unregister_kretprobes(rp_refs, nr);
	else
		unregister_kprobes(kp_refs, nr);
	for (i = 0; i < nr; i++)
		missed += returns ? rp_refs[i]->nmissed +
					    (long)rp_refs[i]->kp.nmissed
				  : (long)kp_refs[i]->nmissed;
	pr_info("all: %ld hits, %ld missed\n", hits, missed);
	kfree(kps);
	kfree(kp_refs);
	kfree(rps);
	kfree(rp_refs);
}

module_init(all_init);
module_exit(all_exit);
MODULE_DESCRIPTION("Probes many functions of a program");
MODULE_LICENSE("Dual BSD/GPL");
