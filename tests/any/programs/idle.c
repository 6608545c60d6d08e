/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * idle.c - threads of which none waits for the outside: they sleep, wait for each other, yield
 * or compute, as the first argument says, and call work() before each time.
 *
 * Owns: the check that a sleep ends when its time is over, and as it should.  SIGTERM makes it
 * say how many did not.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_MS 20
#define FUTEX_WAIT_PRIVATE 128

static const struct timespec a_while = { .tv_nsec = SLEEP_MS * 1000000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile unsigned long counter;
static int word, epoll;
static long wrong;

__attribute__((noipa)) int work(int n)
{
	counter++;
	return n * 3 + 1;
}

/* Each: as it should be?  -1: it is no sleep. */
static int by_nanosleep(void)
{
	return !nanosleep(&a_while, NULL);
}

static int by_clock(void)
{
	return !clock_nanosleep(CLOCK_MONOTONIC, 0, &a_while, NULL);
}

static int by_futex(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &a_while, NULL, 0) == -1 &&
	       errno == ETIMEDOUT;
}

static int by_epoll(void)
{
	struct epoll_event event;

	return !epoll_wait(epoll, &event, 1, SLEEP_MS);
}

static int by_ppoll(void)
{
	return !ppoll(NULL, 0, &a_while, NULL);
}

static int by_yield(void)
{
	sched_yield();
	return -1;
}

static int by_call(void)
{
	syscall(SYS_getpid);
	return -1;
}

static int by_computing(void)
{
	volatile int i;

	for (i = 0; i < 3000; i++)
		;
	return -1;
}

/* The direction flag is set nearly all the time. */
static int backwards(void)
{
	static const char from[256] = "words";
	long count = 3000 / 8;
	int flag = 0;

#ifdef __x86_64__
	static __thread char to[256];

	while (count--) {
		const char *source = from + 255;
		char *target = to + 255;
		unsigned long nr = 256;

		__asm__ volatile("std; rep movsb; pushf; pop %%rax; cld"
				 : "+S"(source), "+D"(target), "+c"(nr), "=a"(flag)
				 : : "memory");
		if (source != from - 1 || !(flag & 0x400) || memcmp(from, to, 256))
			return 0;
	}
#endif
	return -1;
}

static int by_condition(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&never, &mutex);
	return 0;
}

static int by_lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
	return 0;
}

static const struct {
	const char *name;
	int (*fn)(void);
	int threads;
} ways[] = {
	{ "nanosleep", by_nanosleep, 3 }, { "clock_nanosleep", by_clock, 3 },
	{ "futex", by_futex, 3 }, { "epoll_wait", by_epoll, 3 }, { "ppoll", by_ppoll, 3 },
	{ "condition", by_condition, 3 }, { "lock", by_lock, 3 },
	/* Others need the processors, too. */
	{ "sched_yield", by_yield, 2 }, { "getpid", by_call, 2 },
	{ "computing", by_computing, 1 }, { "backwards", backwards, 1 },
};

static int (*way)(void);

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void *idle(void *arg)
{
	sigset_t all;

	/* The last one takes SIGTERM. */
	if (arg) {
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	}
	for (;;) {
		long begin = now_ms();
		int right;

		work(1);
		right = way();
		if (right >= 0 && (!right || now_ms() < begin + SLEEP_MS - 1))
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void say(int sig)
{
	char text[32];

	(void)sig;
	_exit(write(1, text, (size_t)snprintf(text, sizeof(text), "%ld\n", wrong)) < 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int threads = 0;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc > 1 && !strcmp(argv[1], ways[i].name)) {
			way = ways[i].fn;
			threads = ways[i].threads;
		}
	if (!way)
		return 2;
	epoll = epoll_create1(0);
	signal(SIGTERM, say);
	while (--threads > 0)
		pthread_create(&thread, NULL, idle, &word);
	idle(NULL);
	return 0;
}
