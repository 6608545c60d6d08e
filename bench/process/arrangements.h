/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arrangements.h - the rows of the documentation's table, for the process host.
 *
 * Owns: which probes each row puts on which function.
 *
 *   k   kprobe with a post_handler, on the breakpoint
 *   b   kprobe without one, on the breakpoint
 *   o   the same through a jump (op: with a post_handler)
 *   r   return probe on the breakpoint, its first instruction emulated
 *   rb  the same, first instruction copied; ro: through a jump
 *   kr  k and a return probe on one function; ko: both through a jump
 *   j   jprobe on the breakpoint; jo: through a jump; jr: with a return probe
 *   a2 a4 a8      that many kprobes at one address, on the breakpoint; a2o ...
 *   oh  o with a handler that calls a function
 *   ot  o with one that looks an argument up in a table and adds atomically
 *   ov  o with a handler that uses vector registers
 */
#ifndef KP_BENCH_ARRANGEMENTS_H
#define KP_BENCH_ARRANGEMENTS_H

#include "bench.h"

#include <linux/kprobes.h>
#include <kprobes/control.h>

#define MANY 8

static volatile unsigned long hits;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	hits++;
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	(void)p;
	(void)regs;
	(void)flags;
	hits++;
}

static volatile unsigned long by_bit[2];

/* What it may do to the registers is not seen in its caller's code alone. */
static __attribute__((noinline, noipa, section(".text.note"))) void
note(unsigned long arg)
{
	by_bit[arg & 1]++;
}

static int on_pre_call(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	hits++;
	note(regs_get_kernel_argument(regs, 0));
	return 0;
}

/* Not constant, so that it is looked up. */
static volatile unsigned long weight[64] = { [0 ... 63] = 1 };

static int on_pre_table(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	__atomic_fetch_add(&hits, weight[regs_get_kernel_argument(regs, 0) % 64], __ATOMIC_RELAXED);
	return 0;
}

static int on_pre_vector(struct kprobe *p, struct pt_regs *regs)
{
	static volatile double total;

	(void)p;
	total += (double)regs_get_kernel_argument(regs, 0);
	hits++;
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	hits++;
	return 0;
}

static long on_jump(long arg)
{
	(void)arg;
	hits++;
	jprobe_return();
	return 0;
}

/* ---- arrangements ----------------------------------------------------------- */

struct arrangement {
	const char *name;
	bench_fn target;
	bool optimized;
	int kprobes;			/* how many */
	kprobe_pre_handler_t pre;	/* of each; NULL: on_pre */
	bool post, returns, jump;
};

static const struct arrangement arrangements[] = {
	{ "k", bench_short, .kprobes = 1, .post = true },
	{ "b", bench_short, .kprobes = 1 },
	{ "o", bench_long, .optimized = true, .kprobes = 1 },
	{ "o4", bench_four, .optimized = true, .kprobes = 1 },
	{ "o3", bench_short, .optimized = true, .kprobes = 1 },
	{ "o1", bench_push, .optimized = true, .kprobes = 1 },
	{ "ob", bench_branch, .optimized = true, .kprobes = 1 },
	{ "op", bench_long, .optimized = true, .kprobes = 1, .post = true },
	{ "oh", bench_long, .optimized = true, .kprobes = 1,
	  .pre = on_pre_call },
	{ "ot", bench_long, .optimized = true, .kprobes = 1,
	  .pre = on_pre_table },
	{ "ov", bench_long, .optimized = true, .kprobes = 1,
	  .pre = on_pre_vector },
	{ "r", bench_branch, .returns = true },
	{ "rb", bench_push, .returns = true },
	{ "ro", bench_long, .optimized = true, .returns = true },
	{ "kr", bench_short, .kprobes = 1, .post = true, .returns = true },
	{ "ko", bench_long, .optimized = true, .kprobes = 1, .returns = true },
	{ "j", bench_short, .jump = true },
	{ "jo", bench_long, .optimized = true, .jump = true },
	{ "jr", bench_short, .jump = true, .returns = true },
	{ "a2", bench_short, .kprobes = 2 },
	{ "a4", bench_short, .kprobes = 4 },
	{ "a8", bench_short, .kprobes = 8 },
	{ "a2o", bench_long, .optimized = true, .kprobes = 2 },
	{ "a4o", bench_long, .optimized = true, .kprobes = 4 },
	{ "a8o", bench_long, .optimized = true, .kprobes = 8 },
};

#define ARRANGEMENT_NR (sizeof(arrangements) / sizeof(arrangements[0]))

struct probes {
	struct kprobe k[MANY];
	struct kretprobe r;
	struct jprobe j;
};

static inline int put(struct probes *p, const struct arrangement *a)
{
	kprobe_opcode_t *addr = (kprobe_opcode_t *)a->target;
	int i, err = 0;

	*p = (struct probes){ .r = { .kp.addr = addr, .handler = on_return },
			      .j = { .kp.addr = addr, .entry = on_jump } };
	for (i = 0; i < a->kprobes && !err; i++) {
		p->k[i].addr = addr;
		p->k[i].pre_handler = a->pre ? a->pre : on_pre;
		p->k[i].post_handler = a->post ? on_post : NULL;
		err = register_kprobe(&p->k[i]);
	}
	if (a->jump && !err)
		err = register_jprobe(&p->j);
	if (a->returns && !err)
		err = register_kretprobe(&p->r);
	return err;
}

static inline void take(struct probes *p, const struct arrangement *a)
{
	int i;

	for (i = 0; i < a->kprobes; i++)
		unregister_kprobe(&p->k[i]);
	if (a->jump)
		unregister_jprobe(&p->j);
	if (a->returns)
		unregister_kretprobe(&p->r);
	kprobes_flush();
}

static inline const char *why_none(const struct probes *p, const struct arrangement *a)
{
	const char *reason = a->kprobes ? p->k[0].reason :
			     a->returns ? p->r.kp.reason : p->j.kp.reason;

	return reason ? reason : "stayed on the breakpoint";
}

static inline bool has_jump(bench_fn target)
{
	const unsigned char *at = (const unsigned char *)target;

	return at[0] != 0xcc;
}

#endif
