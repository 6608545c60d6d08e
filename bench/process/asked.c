// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * asked.c - what bench/process/trace asks questions of.
 *
 * Owns: a function that is called in bursts, so that who reads events keeps up, and
 * the least time that a call in a burst took: ns, printed at the end.
 * Usage: asked plain|deep
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BURSTS 150
#define CALLS 1500
#define DEPTH 18			/* with main and what is before: 20 frames */
#define PAUSE_US 25000
#define NOINLINE __attribute__((noinline, noclone))

long plain(long a, long b, long c);
long deep(int depth, long a);

NOINLINE long plain(long a, long b, long c)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
	return a + 1;
}

NOINLINE long deep(int depth, long a)
{
	char room[40];

	__asm__ volatile("" : : "r"(room) : "memory");
	return depth ? deep(depth - 1, a) + 1 : plain(a, 2, 3);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	int is_deep = argc > 1 && !strcmp(argv[1], "deep"), burst, i;
	double best = 1e12, begin;

	for (burst = 0; burst < BURSTS; burst++) {
		begin = now();
		for (i = 0; i < CALLS; i++) {
			if (is_deep)
				deep(DEPTH, i & 7);
			else
				plain(i & 7, 2, 3);
		}
		begin = (now() - begin) / CALLS;
		if (begin < best)
			best = begin;
		usleep(PAUSE_US);
	}
	printf("best %.3f\n", best);
	return 0;
}
