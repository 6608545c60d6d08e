/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * inherits.c - what the kernel does to memory by itself, on a page that is watched.
 *
 * inherits plain|pi|shared: robust mutexes whose owner ends, with nobody waiting and with
 * somebody; or semaphores that may be other processes', to and fro.  It says "ready", and
 * when standard input ends "fine", or what went wrong; SIGALRM ends one that waits for ever.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	long count[8];
	pthread_mutex_t mutex;
	sem_t sems[2];
	char rest[3000];
} page __attribute__((aligned(4096)));

long *inherits_at = page.count;
static volatile int stop, problems, holding;
static long owners, told;

static void *ends(void *arg)
{
	pthread_mutex_lock(&page.mutex);
	page.count[0]++;
	holding = 1;
	if (arg)
		usleep(3000);
	return NULL;
}

/* wait: somebody waits already when the owner ends. */
static void owner_ends(int wait)
{
	pthread_t thread;
	int err;

	holding = 0;
	pthread_create(&thread, NULL, ends, wait ? &page : NULL);
	while (wait && !holding)
		usleep(100);
	if (!wait)
		pthread_join(thread, NULL);
	err = pthread_mutex_lock(&page.mutex);
	owners++;
	told += err == EOWNERDEAD;
	if (err == EOWNERDEAD)
		pthread_mutex_consistent(&page.mutex);
	pthread_mutex_unlock(&page.mutex);
	if (wait)
		pthread_join(thread, NULL);
}

static void *answers(void *arg)
{
	(void)arg;
	while (!stop) {
		while (sem_wait(&page.sems[0]))
			;
		page.count[1]++;
		sem_post(&page.sems[1]);
	}
	return NULL;
}

static void *works(void *arg)
{
	long n = 0;

	while (!stop) {
		if (!strcmp(arg, "shared")) {
			sem_post(&page.sems[0]);
			while (sem_wait(&page.sems[1]))
				;
		} else {
			owner_ends((int)(n++ & 1));
		}
		usleep(300);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char *how = argc > 1 ? argv[1] : "plain";
	pthread_mutexattr_t attr;
	pthread_t thread, other;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	if (!strcmp(how, "pi"))
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&page.mutex, &attr);
	sem_init(&page.sems[0], 1, 0);
	sem_init(&page.sems[1], 1, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_create(&other, NULL, answers, NULL);
	pthread_create(&thread, NULL, works, how);
	puts("ready");
	while (getchar() != EOF)
		;
	alarm(20);
	stop = 1;
	pthread_join(thread, NULL);
	if (owners != told)
		printf("told %ld of %ld times that the owner has ended\n", told, owners);
	else
		puts("fine");
	return owners != told;
}
