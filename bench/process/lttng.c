// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lttng.c - a program with a tracepoint of LTTng-UST.
 *
 * Owns: row lttng: the cost of calling a function with a tracepoint that records
 * its argument, above that of its twin, which has none.  Whoever runs it starts a
 * session first; without one there is no row, as nothing would be recorded.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

#include "bench.h"

#define WAIT_MS 5000	/* until the session's daemon has told us */

__attribute__((noinline)) static long traced(long arg)
{
	lttng_ust_tracepoint(kp_bench, call, arg);
	return arg + 1;
}

__attribute__((noinline)) static long twin(long arg)
{
	__asm__ volatile("");
	return arg + 1;
}

int main(void)
{
	struct timespec tick = { .tv_nsec = 1000000 };
	struct bench_sample bare;
	int i;

	for (i = 0; i < WAIT_MS; i++) {
		if (lttng_ust_tracepoint_enabled(kp_bench, call))
			break;
		nanosleep(&tick, NULL);
	}
	if (i == WAIT_MS) {
		bench_skip("lttng", "no session has enabled the event");
		return 0;
	}
	bare = bench_call(twin);
	bench_row("lttng", bench_call(traced), bare);
	return 0;
}
