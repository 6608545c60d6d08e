// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scale.c - many probes, many threads.
 *
 * Owns: facts about registering, optimizing and unregistering 1 to 100,000
 * probes, hits a second with 1, 2 and 4 threads, the first hit, toggles, and what
 * probes cost a program that does not hit them.  start.c has memory.
 */
#include "bench.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <linux/kprobes.h>
#include <kprobes/control.h>

#define THREADS_MAX 4
#define HITS_NS 1e8
#define HITS_RUNS 10

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	return 0;
}

static void fact(const char *name, long nr, double value, const char *unit)
{
	char full[64];

	snprintf(full, sizeof(full), "%s.%ld", name, nr);
	bench_fact(full, value, unit);
}

/* ---- many probes ------------------------------------------------------------ */

static void many(long nr)
{
	struct kprobe *probes = calloc((size_t)nr, sizeof(*probes));
	struct kprobe **all = calloc((size_t)nr, sizeof(*all));
	double start;
	long i;
	int err;

	for (i = 0; i < nr; i++) {
		all[i] = &probes[i];
		probes[i].addr = (kprobe_opcode_t *)bench_field + 2 + 7 * i;
		probes[i].pre_handler = on_pre;
	}
	start = bench_now();
	err = register_kprobes(all, (int)nr);
	fact("register", nr, (bench_now() - start) / (double)nr, "ns a probe");
	if (err) {
		fact("register.failed", nr, err, "errno");
		goto out;
	}
	start = bench_now();
	kprobes_flush();
	fact("optimize", nr, (bench_now() - start) / (double)nr, "ns a probe");
	if (bench_field(0) != BENCH_FIELD_NR)
		fact("wrong", nr, 1, "results");
	start = bench_now();
	unregister_kprobes(all, (int)nr);
	fact("unregister", nr, (bench_now() - start) / (double)nr,
	     "ns a probe");
	start = bench_now();
	kprobes_flush();
	fact("restore", nr, (bench_now() - start) / (double)nr, "ns a probe");
out:
	free(all);
	free(probes);
}

/* ---- threads ---------------------------------------------------------------- */

/* All alike, so that hits.own differs from hits.same in what is shared only. */
static const bench_fn lanes[THREADS_MAX] = { bench_lane0, bench_lane1,
					     bench_lane2, bench_lane3 };
static bool own_lane;

static void *hit(void *arg)
{
	bench_fn fn = lanes[own_lane ? (long)arg : 0];
	double end = bench_now() + HITS_NS;
	long n = 0;

	while (bench_now() < end) {
		bench_loop(fn, 10000);
		n += 10000;
	}
	return (void *)n;
}

static double threads_once(int nr)
{
	pthread_t thread[THREADS_MAX];
	long total = 0, i;
	void *n;

	for (i = 0; i < nr; i++)
		pthread_create(&thread[i], NULL, hit, (void *)i);
	for (i = 0; i < nr; i++) {
		pthread_join(thread[i], &n);
		total += (long)n;
	}
	return (double)total / HITS_NS * 1e9;
}

/* Same and own take turns: what disturbs one disturbs the other. */
static void threads(int nr)
{
	double most[2] = { 0, 0 }, rate;
	int run;

	for (run = 0; run < 2 * HITS_RUNS; run++) {
		own_lane = run % 2;
		rate = threads_once(nr);
		most[own_lane] = rate > most[own_lane] ? rate : most[own_lane];
	}
	fact("hits.same", nr, most[false], "hits a second");
	fact("hits.own", nr, most[true], "hits a second");
}

static void hits(void)
{
	struct kprobe probes[THREADS_MAX] = { 0 };
	int i, nr;

	for (i = 0; i < THREADS_MAX; i++) {
		probes[i].addr = (kprobe_opcode_t *)lanes[i];
		probes[i].pre_handler = on_pre;
		if (register_kprobe(&probes[i]))
			return;
	}
	kprobes_flush();
	for (nr = 1; nr <= THREADS_MAX; nr *= 2)
		threads(nr);
	for (i = 0; i < THREADS_MAX; i++)
		unregister_kprobe(&probes[i]);
	kprobes_flush();
}

static void *first(void *arg)
{
	double start = bench_now();

	bench_loop(bench_four, 1);
	*(double *)arg = bench_now() - start;
	return NULL;
}

/* A thread's first hit, which has to find it a context. */
static void first_hit(void)
{
	struct kprobe probe = { .addr = (kprobe_opcode_t *)bench_four,
				.pre_handler = on_pre };
	double least = 1e9, ns = 0;
	pthread_t thread;
	int i;

	if (register_kprobe(&probe))
		return;
	kprobes_flush();
	for (i = 0; i < 50; i++) {
		pthread_create(&thread, NULL, first, &ns);
		pthread_join(thread, NULL);
		least = ns < least ? ns : least;
	}
	unregister_kprobe(&probe);
	kprobes_flush();
	bench_fact("first hit of a thread", least, "ns");
}

/* ---- toggles ---------------------------------------------------------------- */

#define TOGGLE_RUNS 9

/* Each changes the text: a second, of the run that was disturbed least. */
static double textual(struct kprobe *probe)
{
	double least = 1e18, start;
	int run, i;

	for (run = 0; run < TOGGLE_RUNS; run++) {
		start = bench_now();
		for (i = 0; i < 500; i++) {
			disable_kprobe(probe);
			kprobes_flush();
			enable_kprobe(probe);
			kprobes_flush();
		}
		start = bench_now() - start;
		least = start < least ? start : least;
	}
	return 1e3 / least * 1e9;
}

static void *run_through(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		bench_loop(bench_long, 1000);
	return NULL;
}

static void toggles(void)
{
	struct kprobe probe = { .addr = (kprobe_opcode_t *)bench_long,
				.pre_handler = on_pre };
	int i, stop = 0;
	pthread_t thread;
	double start;

	if (register_kprobe(&probe))
		return;
	kprobes_flush();
	start = bench_now();
	for (i = 0; i < 1000000; i++) {
		disable_kprobe(&probe);
		enable_kprobe(&probe);
	}
	bench_fact("toggles, lazily", 2e6 / (bench_now() - start) * 1e9,
		   "a second");
	bench_fact("toggles that change text", textual(&probe), "a second");
	pthread_create(&thread, NULL, run_through, &stop);
	bench_fact("toggles that change text, a thread runs through",
		   textual(&probe), "a second");
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	unregister_kprobe(&probe);
	kprobes_flush();
}

/* One that comes and goes before there is a jump. */
static void one_by_one(void)
{
	double least = 1e18, start;
	struct kprobe probe;
	int run, i;

	for (run = 0; run < TOGGLE_RUNS; run++) {
		start = bench_now();
		for (i = 0; i < 500; i++) {
			probe = (struct kprobe){
				.addr = (kprobe_opcode_t *)bench_long,
				.pre_handler = on_pre };
			if (register_kprobe(&probe))
				return;
			unregister_kprobe(&probe);
		}
		start = bench_now() - start;
		least = start < least ? start : least;
	}
	bench_fact("register and unregister one probe", least / 500, "ns");
	kprobes_flush();
}

/* ---- probes that are not hit ------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

static double work(void)
{
	static char data[8 * 4096];
	double least = 1e12, start;
	unsigned long x = 1;
	size_t i, run;

	for (run = 0; run < 20; run++) {
		for (i = 0; i < sizeof(data); i++)
			data[i] = (char)(x = x * 6364136223846793005ul + 1);
		start = bench_now();
		qsort(data, sizeof(data) / 8, 8, compare);
		start = bench_now() - start;
		least = start < least ? start : least;
	}
	return least;
}

static void idle(void)
{
	static struct kprobe probes[10000], *all[10000];
	double before = work();
	int i;

	for (i = 0; i < 10000; i++) {
		all[i] = &probes[i];
		probes[i].addr = (kprobe_opcode_t *)bench_field + 2 + 7 * i;
		probes[i].pre_handler = on_pre;
	}
	if (register_kprobes(all, 10000))
		return;
	kprobes_flush();
	bench_fact("a program beside 10,000 probes that it does not hit",
		   work() / before, "times its own time");
	unregister_kprobes(all, 10000);
	kprobes_flush();
}

int main(void)
{
	long nr;

	for (nr = 1; nr <= 100000; nr *= 10)
		many(nr);
	hits();
	first_hit();
	toggles();
	one_by_one();
	idle();
	return 0;
}
