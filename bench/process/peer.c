// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * peer.c - a program for other tools to put their probes into.
 *
 * Owns: one row, named by the first argument: the cost of calling a function
 * that the tool probes, above that of its twin, which it does not.  For gdb
 * that is bench_long of targets.S, for uftrace a C function with room for a
 * patch (uftrace_probed).
 */
#include "bench.h"

#include <string.h>

#define ROOM __attribute__((noinline, patchable_function_entry(5)))

ROOM static long uftrace_probed(long arg)
{
	__asm__ volatile("");
	return arg + 1;
}

__attribute__((noinline)) static long peer_twin(long arg)
{
	__asm__ volatile("");
	return arg + 1;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "peer";
	bool uftrace = !strcmp(name, "uftrace");
	struct bench_sample bare = bench_call(peer_twin);

	bench_row(name, bench_call(uftrace ? uftrace_probed : bench_long),
		  bare);
	return 0;
}
