/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shares.c - other processes on a program's memory.
 *
 * shares before: one that is neither thread nor child of vfork(), from the begin; shares
 * spawns: threads that nap and start programs all the time.  It says "ready", and when
 * standard input ends "fine", or how many of them died.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int stop;
static volatile long calls, died;

__attribute__((noipa)) long shares_work(long n)
{
	return n * 3 + 1;
}

static int other(void *arg)
{
	(void)arg;
	for (;;)
		calls += shares_work(calls) & 1;
	return 0;
}

static void *spawns(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;
	char *words[] = { "true", NULL };
	int status;
	pid_t pid;

	while (!stop) {
		usleep(1000 + (useconds_t)rand_r(&seed) % 4000);
		status = -1;
		if (posix_spawnp(&pid, "true", NULL, NULL, words, environ) ||
		    waitpid(pid, &status, 0) != pid || status)
			__sync_fetch_and_add(&died, 1);
		shares_work(died);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	size_t len = 1 << 16;
	char *stack = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[3];
	pid_t pid = 0;
	long i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "before"))
		pid = clone(other, stack + len, CLONE_VM | SIGCHLD, NULL);
	else
		for (i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, spawns, (void *)i);
	puts("ready");
	while (getchar() != EOF)
		;
	stop = 1;
	if (pid) {
		died = waitpid(pid, NULL, WNOHANG) != 0;
		kill(pid, SIGKILL);
	} else {
		for (i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
	if (died)
		printf("%ld died\n", died);
	else
		puts("fine");
	return died != 0;
}
