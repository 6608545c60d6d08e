// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * busy.c - the process that bench/process/attach attaches to.
 *
 * Owns: work that never ends, and its speed: a line on standard output for each
 * line on standard input, with the work done a second since the last one.
 */
#include "bench.h"

#include <pthread.h>
#include <string.h>

static unsigned long done;

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

static void *work(void *arg)
{
	static char data[8 * 512];
	unsigned long x = 1;
	size_t i;

	(void)arg;
	for (;;) {
		for (i = 0; i < sizeof(data); i++)
			data[i] = (char)(x = x * 6364136223846793005ul + 1);
		qsort(data, sizeof(data) / 8, 8, compare);
		__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	double since = bench_now(), now;
	unsigned long before = 0, after;
	pthread_t thread;
	char line[64];

	if (bench_field(0) != BENCH_FIELD_NR ||
	    pthread_create(&thread, NULL, work, NULL))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		after = __atomic_load_n(&done, __ATOMIC_RELAXED);
		now = bench_now();
		printf("%.1f\n", (double)(after - before) / (now - since) * 1e9);
		fflush(stdout);
		before = after;
		since = now;
	}
	return 0;
}
