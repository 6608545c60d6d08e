// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * allocates.c - a program to be built with sanitizers.
 *
 * Four threads allocate and check what they wrote.  The main thread takes faults
 * and jumps out of their handler, another blocks all signals for most of the time:
 * each sleeps with its own mask, and looks whether that is still the kernel's.
 * Until its standard input ends; then "fine", or it has said what was wrong.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES 3000u

static atomic_bool over;
static atomic_ulong rounds[4];
static sigjmp_buf out;
static volatile int *volatile nowhere = (int *)16;

__attribute__((noinline)) static void wrong(const char *what, unsigned long value)
{
	printf("%s: %#lx\n", what, value);
	fflush(stdout);
	_exit(3);
}

__attribute__((noinline)) static unsigned int sum_of(const unsigned char *mem, size_t len)
{
	unsigned int sum = 0;

	while (len--)
		sum += *mem++;
	return sum;
}

static void *allocate(void *arg)
{
	unsigned int seed = 1, len;
	atomic_ulong *round = arg;
	unsigned char *mem;

	while (!atomic_load(&over)) {
		seed = seed * 1103515245 + 12345;
		len = (seed >> 8) % SIZES + 1;
		mem = malloc(len);
		memset(mem, (int)(seed & 0x7f), len);
		mem = realloc(mem, len + 100);
		if (sum_of(mem, len) != (seed & 0x7f) * len)
			wrong("memory has changed", len);
		free(mem);
		if (!(atomic_fetch_add(round, 1) % 256))
			usleep(1000);
	}
	return NULL;
}

/* The kernel's own word for what this thread has blocked. */
static void look(unsigned long blocked)
{
	char text[4096], *at;
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[len > 0 ? len : 0] = 0;
	at = strstr(text, "SigBlk:");
	if (!at || strtoul(at + 7, NULL, 16) != blocked)
		wrong("the mask after a sleep", at ? strtoul(at + 7, NULL, 16) : 0);
}

static void *block(void *arg)
{
	sigset_t all, none;
	volatile unsigned int i;

	sigfillset(&all);
	sigemptyset(&none);
	while (!atomic_load(&over)) {
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		for (i = 0; i < 300000; i++)
			;
		pthread_sigmask(SIG_SETMASK, &none, NULL);
		usleep(500);
		look(0);
	}
	return arg;
}

static void on_fault(int sig)
{
	volatile unsigned int i;

	for (i = 0; i < 300000; i++)
		;
	siglongjmp(out, sig);
}

int main(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	volatile unsigned long faults = 0;
	pthread_t threads[5];
	size_t i;

	signal(SIGSEGV, on_fault);
	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, allocate, &rounds[i]))
			return 2;
	if (pthread_create(&threads[4], NULL, block, NULL))
		return 2;
	puts("ready");
	fflush(stdout);
	while (!poll(&in, 1, 1)) {
		look(0);
		if (!sigsetjmp(out, 1))
			*nowhere = 1;
		else
			faults++;
	}
	atomic_store(&over, true);
	for (i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 4; i++)
		if (!rounds[i] || !faults)
			wrong("no work was done by", i);
	puts("fine");
	return 0;
}
