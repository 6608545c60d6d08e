/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stops.c - ten threads that notice when they are stopped.
 *
 * Owns: for each line that it reads, the longest time in ms that one of them has not run for since
 * the line before, beyond the 50 us that it sleeps.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define THREADS 10
#define PAUSE_NS 50000

static uint64_t worst[THREADS];
static unsigned int round_nr;		/* atomic, as the others */

__attribute__((noinline, noclone)) int work(int n)
{
	__asm__ volatile("" : : : "memory");
	return n + 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *run(void *arg)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t *own = arg, last = now_ns(), now, gap;
	unsigned int seen = 0, nr;

	for (;;) {
		work(1);
		nanosleep(&pause, NULL);
		now = now_ns();
		gap = now - last - PAUSE_NS;
		nr = __atomic_load_n(&round_nr, __ATOMIC_RELAXED);
		if (nr != seen || gap > *own)
			__atomic_store_n(own, nr != seen ? 0 : gap, __ATOMIC_RELAXED);
		seen = nr;
		last = now;
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	char line[16];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, run, &worst[i]);
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t most = 0, one;

		for (i = 0; i < THREADS; i++) {
			one = __atomic_load_n(&worst[i], __ATOMIC_RELAXED);
			most = one > most ? one : most;
		}
		printf("%.3f\n", (double)most / 1e6);
		fflush(stdout);
		__atomic_fetch_add(&round_nr, 1, __ATOMIC_RELAXED);
		usleep(2000);
	}
	return 0;
}
