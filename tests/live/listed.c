/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * listed.c - the list of the process's threads, while others of them end, has each
 * one that is there all the time.
 */
#include "live.h"
#include "sys.h"
#include "process/threads.h"

#define LISTINGS 8000
#define SHORT 4

static volatile int stop, staying;

static void *ends_soon(void *loops)
{
	volatile long i;

	for (i = 0; i < (long)loops; i++)
		;
	return NULL;
}

static void *stays(void *arg)
{
	staying = sys_gettid();
	while (!stop)
		usleep(200);
	return arg;
}

static bool is_staying(int tid, void *found)
{
	*(bool *)found |= tid == staying;
	return false;
}

static int missed_in_round(unsigned int *seed)
{
	pthread_t some[SHORT], one;
	int i, missed = 0;

	stop = staying = 0;
	for (i = 0; i < SHORT; i++)
		NEED(!pthread_create(&some[i], NULL, ends_soon,
				     (void *)(long)(rand_r(seed) % 60000)));
	NEED(!pthread_create(&one, NULL, stays, NULL));
	while (!staying)
		;
	for (i = 0; i < 4; i++) {
		bool found = false;

		NEED(!kp_user_each_thread(is_staying, &found));
		missed += !found;
	}
	stop = 1;
	for (i = 0; i < SHORT; i++)
		pthread_join(some[i], NULL);
	pthread_join(one, NULL);
	return missed;
}

int main(void)
{
	unsigned int seed = 1;
	int i, missed = 0;

	for (i = 0; i < LISTINGS / 4; i++)
		missed += missed_in_round(&seed);
	printf("# %d listings, %d without it\n", LISTINGS, missed);
	EXPECT("a thread that stays is in each list of threads", !missed);
	return live_failed;
}
