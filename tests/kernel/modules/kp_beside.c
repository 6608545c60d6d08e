// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kp_beside.c - probes that stay, and probes that come and go, while the kernel does
 * to the same functions, and to all of its text, whatever it can do.
 *
 * Owns: threads that call three functions, one with an ftrace site, one whose entry
 * can have a jump, and one for a live patch; on each a probe of each kind that stays; a thread that registers,
 * switches and unregisters others there, in the kernel and in a module that comes and
 * goes; a sampling counter on each calling thread, whose samples are stack traces;
 * probes that stay where the kernel reads, for one program's calls; and a thread that
 * sleeps in a function with a return probe, so that live patches look at its stack.
 * What else goes on is the case's script.  At the end: every result was right, every
 * call is accounted for by each probe that stays (K-INV-01, K-INV-04), and the
 * kernel's text is as before (K-INV-05).
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/stacktrace.h>
#include <kprobes/control.h>
#include "rules.h"
#include "snapshot.h"
#include "targets.h"

#define WORKERS		2
#define FUNCTIONS	3
#define MENDED		2
#define SAMPLES_HZ	100

static ulong rounds;		/* of those that come and go; the script waits for some */
module_param(rounds, ulong, 0400);
static ulong read_nr;		/* what the program READER says that it has done */
module_param(read_nr, ulong, 0600);
#define READER	"trampolines"

/* ---- the functions -------------------------------------------------------- */

#ifndef BESIDE_TRACE
#define BESIDE_TRACE			/* the tracer's, too */
#endif
noinline __attribute__((noipa)) BESIDE_TRACE long beside_traced(long n);
noinline __attribute__((noipa)) BESIDE_TRACE long beside_traced(long n)
{
	barrier();
	return n + 3;
}

noinline __attribute__((noipa)) BESIDE_TRACE long beside_mended(long n);
noinline __attribute__((noipa)) BESIDE_TRACE long beside_mended(long n)
{
	barrier();
	return n + 3;
}

/* long beside_plain(long n): n + 3.  No ftrace site; three places for a jump. */
asm(BESIDE_TARGETS);
long beside_plain(long n);
extern kprobe_opcode_t beside_sum[];

static kprobe_opcode_t *const function[FUNCTIONS] = {
	(kprobe_opcode_t *)beside_traced, (kprobe_opcode_t *)beside_plain,
	(kprobe_opcode_t *)beside_mended,
};

/* ---- those that stay ------------------------------------------------------ */

static struct stays {
	struct kprobe kp;
	struct kretprobe rp;
	struct jprobe jp;
	atomic64_t hits, returns, jumps;
} stays[FUNCTIONS];

static atomic64_t calls, wrong;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic64_inc(&container_of(p, struct stays, kp)->hits);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic64_inc(&container_of(get_kretprobe(ri), struct stays, rp)->returns);
	return 0;
}

/* A jprobe's handler is not told whose it is. */
static long on_traced(long n)
{
	atomic64_inc(&stays[0].jumps);
	jprobe_return();
	return 0;
}

static long on_plain(long n)
{
	atomic64_inc(&stays[1].jumps);
	jprobe_return();
	return 0;
}

static long on_mended(long n)
{
	atomic64_inc(&stays[MENDED].jumps);
	jprobe_return();
	return 0;
}

static void *const entry[FUNCTIONS] = { on_traced, on_plain, on_mended };

static int register_stays(struct stays *s, int f)
{
	s->kp = (struct kprobe){ .addr = function[f], .pre_handler = on_hit };
	s->rp = (struct kretprobe){ .kp.addr = function[f], .handler = on_return,
				    .maxactive = 2 * WORKERS };
	s->jp = (struct jprobe){ .kp.addr = function[f], .entry = entry[f] };
	return register_kprobe(&s->kp) ?: register_kretprobe(&s->rp) ?:
	       register_jprobe(&s->jp);
}

static void unregister_stays(struct stays *s)
{
	unregister_jprobe(&s->jp);
	unregister_kretprobe(&s->rp);
	unregister_kprobe(&s->kp);
}

static void check_stays(struct stays *s)
{
	long all = atomic64_read(&calls);

	expect_eq("K-INV-01", "beside others: kprobe hits + nmissed == calls",
		  atomic64_read(&s->hits) + s->kp.nmissed, all);
	expect_eq("K-INV-04", "beside others: returns + missed == calls",
		  atomic64_read(&s->returns) + s->rp.nmissed + s->rp.kp.nmissed,
		  all);
	expect_eq("K-INV-01", "beside others: jprobe hits + nmissed == calls",
		  atomic64_read(&s->jumps) + s->jp.kp.nmissed, all);
}

/* ---- where others are besides: BPF, a live patch --------------------------- */

static atomic64_t read_hits, read_returns;

static int on_read(struct kprobe *p, struct pt_regs *regs)
{
	if (!strcmp(current->comm, READER))
		atomic64_inc(&read_hits);
	return 0;
}

static int on_read_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!strcmp(current->comm, READER))
		atomic64_inc(&read_returns);
	return 0;
}

static struct kprobe reading = { .symbol_name = "vfs_read", .pre_handler = on_read };
static struct kretprobe was_read = { .kp.symbol_name = "vfs_read",
				     .handler = on_read_return };

/* Others' calls may be among the missed. */
static void check_reads(void)
{
	long hits = atomic64_read(&read_hits), returns = atomic64_read(&read_returns);

	if (!read_nr)
		return;
	expect_eq("K-INV-01", "beside others: kprobe hits + nmissed == reads",
		  clamp_t(long, read_nr, hits, hits + reading.nmissed), read_nr);
	expect_eq("K-INV-04", "beside others: returns + missed == reads",
		  clamp_t(long, read_nr, returns, returns + was_read.nmissed +
						  was_read.kp.nmissed), read_nr);
}

static bool morning;
static atomic64_t slept;
static long woken;

noinline __attribute__((noipa)) long beside_sleeps(long n);
noinline __attribute__((noipa)) long beside_sleeps(long n)
{
	while (!READ_ONCE(morning))
		msleep(100);
	return n + 5;
}

static int on_woken(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic64_inc(&slept);
	return 0;
}

static struct kretprobe sleeps = { .kp.addr = (kprobe_opcode_t *)beside_sleeps,
				   .handler = on_woken };

static int sleeper(void *unused)
{
	woken = beside_sleeps(1);
	while (!kthread_should_stop())
		msleep(10);
	return 0;
}

static void wake(struct task_struct *task)
{
	WRITE_ONCE(morning, true);
	kthread_stop(task);
	expect_eq("K-HIT-34", "beside others: who slept woke up where he should",
		  woken, 6);
	expect_eq("K-INV-04", "beside others: his return was hit",
		  atomic64_read(&slept), 1);
}

/* ---- the callers, and their samples --------------------------------------- */

static atomic64_t samples;

static void on_sample(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
#ifdef CONFIG_STACKTRACE
	unsigned long entries[32];

	stack_trace_save(entries, ARRAY_SIZE(entries), 0);
#endif
	atomic64_inc(&samples);
}

static int worker(void *unused)
{
	long n = 0;

	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 20; i++, n++)
			if (beside_traced(n) != n + 3 || beside_plain(n) != n + 3 ||
			    beside_mended(n) != n + 3)
				atomic64_inc(&wrong);
		atomic64_add(20, &calls);
		/* Most of the CPU is for the others: a virtual one patches slowly. */
		usleep_range(1000, 2000);
	}
	return 0;
}

/* NULL: this machine has no such counter. */
static struct perf_event *sample(struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NSEC_PER_SEC / SAMPLES_HZ,
	};
	struct perf_event *event = perf_event_create_kernel_counter(
		&attr, -1, task, on_sample, NULL);

	return IS_ERR(event) ? NULL : event;
}

/* ---- those that come and go ----------------------------------------------- */

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void nothing_after(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
}

static long mirror(long n)
{
	jprobe_return();
	return 0;
}

/* What is not there, as a module that has gone, is refused. */
static const char *const elsewhere[] = {
	"vfs_read", "ksys_read", "__schedule", "update_curr", "kfree",
	"kp_victim:victim_work", "security_file_permission",
	"kp_livepatch:beside_patched",
};

static void come_and_go(kprobe_opcode_t *at, const char *name)
{
	static struct kprobe kps[3];
	static struct kretprobe rp;
	static struct jprobe jp;
	struct kprobe *list[] = { &kps[0], &kps[1], &kps[2] };
	bool all, returns, jumps;

	/* At a traced function there is one of these and live patches. */
	kps[0] = (struct kprobe){ .addr = at, .pre_handler = nothing,
				  .post_handler = at == function[MENDED] ?
					NULL : nothing_after };
	kps[1] = (struct kprobe){ .addr = beside_sum, .pre_handler = nothing };
	kps[2] = (struct kprobe){ .symbol_name = name, .pre_handler = nothing };
	rp = (struct kretprobe){ .kp.addr = at, .maxactive = 2 * WORKERS };
	jp = (struct jprobe){ .kp.addr = at, .entry = JPROBE_ENTRY(mirror) };
	all = !register_kprobes(list, ARRAY_SIZE(list));
	returns = !register_kretprobe(&rp);
	jumps = !register_jprobe(&jp);
	if (all) {
		disable_kprobe(&kps[0]);
		enable_kprobe(&kps[0]);
	}
	if (jumps)
		unregister_jprobe(&jp);
	if (returns)
		unregister_kretprobe(&rp);
	if (all)
		unregister_kprobes(list, ARRAY_SIZE(list));
}

static int churn(void *unused)
{
	while (!kthread_should_stop()) {
		come_and_go(function[rounds % FUNCTIONS],
			    elsewhere[rounds % ARRAY_SIZE(elsewhere)]);
		WRITE_ONCE(rounds, rounds + 1);
		msleep(20);
	}
	return 0;
}

/* ---- all ------------------------------------------------------------------ */

static struct task_struct *workers[WORKERS], *churner, *sleeping;
static struct perf_event *events[WORKERS];
static unsigned long text_start, text_len;
static void *before;

static void unregister_all(void)
{
	int i;

	for (i = 0; i < FUNCTIONS; i++)
		unregister_stays(&stays[i]);
	unregister_kretprobe(&sleeps);
	unregister_kretprobe(&was_read);
	unregister_kprobe(&reading);
}

static int __init beside_init(void)
{
	int i, err = 0;

	text_start = where_is("_stext");
	text_len = etext - text_start;
	before = snapshot(text_start, text_len);
	for (i = 0; i < FUNCTIONS; i++)
		err = err ?: register_stays(&stays[i], i);
	err = err ?: register_kprobe(&reading) ?: register_kretprobe(&was_read) ?:
	      register_kretprobe(&sleeps);
	expect_eq("K-INV-01", "beside others: probes that stay", err, 0);
	if (err) {
		unregister_all();
		vfree(before);
		return err;
	}
	for (i = 0; i < WORKERS; i++) {
		workers[i] = kthread_run(worker, NULL, "beside/%d", i);
		events[i] = sample(workers[i]);
	}
	churner = kthread_run(churn, NULL, "beside/churn");
	sleeping = kthread_run(sleeper, NULL, "beside/sleeps");
	return 0;
}

static void __exit beside_exit(void)
{
	void *after;
	int i;

	kthread_stop(churner);
	wake(sleeping);
	for (i = 0; i < WORKERS; i++) {
		if (events[i])
			perf_event_release_kernel(events[i]);
		kthread_stop(workers[i]);
	}
	pr_info("KP-TEST # beside: %lld calls of each, %lu rounds, %lld samples\n",
		(long long)atomic64_read(&calls), rounds,
		(long long)atomic64_read(&samples));
	expect("K-INV-01", "beside others: there were calls",
	       atomic64_read(&calls) > 1000);
	expect_eq("K-HIT-34", "beside others: every result was right",
		  atomic64_read(&wrong), 0);
	for (i = 0; i < FUNCTIONS; i++)
		check_stays(&stays[i]);
	check_reads();
	unregister_all();
	/* Jumps go a little later than probes. */
	kprobes_flush();
	after = snapshot(text_start, text_len);
	expect("K-INV-05", "beside others: the text could be read", before && after);
	if (before && after)
		expect_eq("K-INV-05", "beside others: the kernel's text is as before",
			  differences(text_start, text_len, before, after), 0);
	vfree(before);
	vfree(after);
}

module_init(beside_init);
module_exit(beside_exit);
MODULE_DESCRIPTION("Kprobes tests: beside all that the kernel does to its text");
MODULE_LICENSE("Dual BSD/GPL");
