/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bench.h - how the process benchmarks measure and what they print.
 *
 * Owns: the clock, the repetition, and the lines that bench/run reads:
 *
 *	row <tab> NAME <tab> MINIMUM <tab> MEDIAN	ns a call, above a bare one
 *	fact <tab> NAME <tab> VALUE <tab> UNIT
 *	skip <tab> NAME <tab> REASON
 *
 * The machine is shared: the minimum of many short runs is the figure, the
 * median says how noisy it was.
 */
#ifndef KP_BENCH_H
#define KP_BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_RUNS 41
#define BENCH_RUN_NS 2e6

typedef long (*bench_fn)(long);

/* targets.S: each returns its argument plus one. */
extern long bench_long(long);	/* first instruction: 7 bytes, copied */
extern long bench_lane0(long);	/* as bench_long, and so are 1 to 3 */
extern long bench_lane1(long);
extern long bench_lane2(long);
extern long bench_lane3(long);
extern long bench_short(long);	/* 3 bytes, copied */
extern long bench_push(long);	/* push %rbp, as most functions begin */
extern long bench_branch(long);	/* a relative branch: emulated at a trap */
extern long bench_four(long);	/* 4 bytes, others behind it */
/* Does nothing but execute many instructions of 7 bytes, from byte 2 on. */
#define BENCH_FIELD_NR 131072
extern long bench_field(long);

struct bench_sample {
	double min, median;
};

static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline double bench_loop(bench_fn fn, long n)
{
	double start = bench_now();
	long i, sum = 0;

	for (i = 0; i < n; i++)
		sum += fn(sum);
	__asm__ volatile("" : : "r"(sum));
	return bench_now() - start;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ns a call. */
static inline struct bench_sample bench_call(bench_fn fn)
{
	double ns[BENCH_RUNS];
	long n = 16;
	int i;

	while (bench_loop(fn, n) < BENCH_RUN_NS / 2 && n < 1L << 30)
		n *= 2;
	for (i = 0; i < BENCH_RUNS; i++)
		ns[i] = bench_loop(fn, n) / (double)n;
	qsort(ns, BENCH_RUNS, sizeof(ns[0]), bench_compare);
	return (struct bench_sample){ ns[0], ns[BENCH_RUNS / 2] };
}

/* A row, with the bare call measured just before taken off. */
static inline void bench_row(const char *name, struct bench_sample with,
			     struct bench_sample bare)
{
	printf("row\t%s\t%.1f\t%.1f\n", name, with.min - bare.min,
	       with.median - bare.median);
	fflush(stdout);
}

static inline void bench_fact(const char *name, double value, const char *unit)
{
	printf("fact\t%s\t%.6g\t%s\n", name, value, unit);
	fflush(stdout);
}

static inline void bench_skip(const char *name, const char *reason)
{
	printf("skip\t%s\t%s\n", name, reason);
	fflush(stdout);
}

#endif
