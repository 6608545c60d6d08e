/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stores.c - two threads that write to one page all the time, block no signal and handle
 * none; it says "ready", and when standard input ends "fine".
 */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

volatile long stores_in[512] __attribute__((aligned(4096)));
static volatile int stop;

__attribute__((noipa)) void stores_put(int i)
{
	stores_in[i]++;
}

static void *rests(void *arg)
{
	(void)arg;
	while (!stop) {
		stores_put(0);
		usleep(500);
	}
	return NULL;
}

static void *works(void *arg)
{
	unsigned int seed = 1;
	void *p;

	(void)arg;
	while (!stop) {
		p = malloc((size_t)rand_r(&seed) % 5000);
		closedir(opendir("/"));
		free(p);
		stores_put(1);
		poll(NULL, 0, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_create(&threads[0], NULL, rests, NULL);
	pthread_create(&threads[1], NULL, works, NULL);
	puts("ready");
	while (getchar() != EOF)
		;
	stop = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("fine");
	return 0;
}
