// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * table.c - what a hit costs in a process, in time.
 *
 * Owns: the measurement: each arrangement of probes is put on its function, the
 * function is called in a loop, and the cost of a bare call is taken off.
 */
#include "arrangements.h"

#include <string.h>

static void run(const struct arrangement *a)
{
	static struct probes probes;
	struct bench_sample bare, with;
	unsigned long before;
	int err;

	kprobes_set_optimization(a->optimized);
	bare = bench_call(a->target);
	err = put(&probes, a);
	kprobes_flush();
	if (err) {
		bench_skip(a->name, "could not be registered");
	} else if (a->optimized && !has_jump(a->target)) {
		bench_skip(a->name, why_none(&probes, a));
	} else {
		before = hits;
		with = bench_call(a->target);
		if (hits == before)
			bench_skip(a->name, "was never hit");
		else
			bench_row(a->name, with, bare);
	}
	take(&probes, a);
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	while (*names)
		if (!strcmp(*names++, name))
			return true;
	return false;
}

/* table [ROW...] */
int main(int argc, char **argv)
{
	size_t i;

	(void)argc;
	for (i = 0; i < ARRANGEMENT_NR; i++)
		if (wanted(arrangements[i].name, argv + 1))
			run(&arrangements[i]);
	return 0;
}
