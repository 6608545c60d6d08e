// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * count.c - what a hit costs in a process, in instructions.
 *
 * Owns: the calls that Callgrind counts.  For each arrangement two parts are
 * written, NAME.bare and NAME, of CALLS calls each: their difference is exact
 * and the same in every run.  Instructions of the kernel are not in it, so a
 * breakpoint's trap and return count as none.
 *
 * Run by bench/process/count, under Valgrind.
 */
#include "arrangements.h"

#include <valgrind/callgrind.h>

#define CALLS 1000

static void count(const char *name, bench_fn fn)
{
	bench_loop(fn, 64);		/* first hits build what they need */
	CALLGRIND_ZERO_STATS;
	bench_loop(fn, CALLS);
	CALLGRIND_DUMP_STATS_AT(name);
}

static void run(const struct arrangement *a)
{
	static struct probes probes;
	char bare[32];
	unsigned long before;
	int err;

	kprobes_set_optimization(a->optimized);
	snprintf(bare, sizeof(bare), "%s.bare", a->name);
	count(bare, a->target);
	err = put(&probes, a);
	kprobes_flush();
	before = hits;
	if (err)
		bench_skip(a->name, "could not be registered");
	else if (a->optimized && !has_jump(a->target))
		bench_skip(a->name, why_none(&probes, a));
	else
		count(a->name, a->target);
	if (hits == before)
		bench_skip(a->name, "was never hit");
	take(&probes, a);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRANGEMENT_NR; i++)
		run(&arrangements[i]);
	return 0;
}
