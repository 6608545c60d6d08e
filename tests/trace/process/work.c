// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * work.c - a process to trace: it does what it is told, and so often.
 *
 * Owns: nothing.  A line of standard input each: "NAME N [THREADS]" calls the
 * function N times in each thread and answers "done SUM"; the end of input ends it.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define SINK(x) __asm__ volatile("" : : "r"(x) : "memory")

struct item {
	int id;
	short small;
	char name[10];
	struct item *next;
};

struct item items[3] = {
	{ 1, -1, "one", &items[1] }, { 2, -2, "two", &items[2] },
	{ 3, -3, "three", NULL },
};
const char *const names[4] = { "zero", "alpha", "beta", "a longer name" };

/* Does anybody look? */
unsigned short work_told_semaphore __attribute__((section(".probes")));

long plain(long n);
long sized(size_t bytes);
long named(const char *name, int length);
long deep(int depth, long n);
long seven(int a, int b, int c, int d, int e, int f, int g, int h);
long listed(struct item *item);
long fails(int n);
long slow(long us);
long stored(long n);

NOINLINE long plain(long n)
{
	SINK(n);
	return n * 2;
}

NOINLINE long sized(size_t bytes)
{
	SINK(bytes);
	return (long)bytes;
}

NOINLINE long named(const char *name, int length)
{
	SINK(name);
	return length;
}

NOINLINE long deep(int depth, long n)
{
	char room[48];

	SINK(room);
	return depth ? deep(depth - 1, n) + 1 : plain(n);
}

NOINLINE long seven(int a, int b, int c, int d, int e, int f, int g, int h)
{
	SINK(h);
	return a + b + c + d + e + f + g + h;
}

NOINLINE long listed(struct item *item)
{
	SINK(item);
	return item->next ? item->next->id : 0;
}

/* What a caller looks at: 0, or -1 when something went wrong. */
NOINLINE long fails(int n)
{
	SINK(n);
	return 0;
}

NOINLINE long slow(long us)
{
	usleep((unsigned int)us);
	return us;
}

/* What is in there changes every other time. */
long counter;

NOINLINE long stored(long n)
{
	__atomic_store_n(&counter, n / 2, __ATOMIC_RELAXED);
	return n;
}

/* ---- what is allocated, written and freed ---- */

long filled(volatile long *cell, long n);
volatile long *make_cell(int depth);
void drop_cell(volatile long *cell);

/* Its first word twice, and the third. */
NOINLINE long filled(volatile long *cell, long n)
{
	cell[0] = n;
	cell[0] = n + 1;
	cell[2] = n;
	return n;
}

/* Each within the one before. */
NOINLINE volatile long *make_cell(int depth)
{
	volatile long *cell = malloc(40);

	cell[0] = 0;
	cell[1] = depth ? (long)make_cell(depth - 1) : 0;
	return cell;
}

NOINLINE void drop_cell(volatile long *cell)
{
	cell[0] = -1;
	free((void *)cell);
}

static long heap(long n)
{
	volatile long *cell = malloc(24);

	n = filled(cell, n);
	free((void *)cell);
	return n;
}

/* So many as fit the debug registers. */
static long cells(long n)
{
	volatile long *cell = make_cell(3), *next;

	for (; cell; cell = next) {
		next = (volatile long *)cell[1];
		cell[0] = n;
		drop_cell(cell);
	}
	return n;
}

static long one(const char *what, long i)
{
	if (!strcmp(what, "plain"))
		return plain(i);
	if (!strcmp(what, "sized"))
		return sized(1ul << (i % 20));
	if (!strcmp(what, "named"))
		return named(names[i % 4], (int)strlen(names[i % 4]));
	if (!strcmp(what, "deep"))
		return deep(20, i);
	if (!strcmp(what, "seven"))
		return seven(1, 2, 3, 4, 5, 6, 7, (int)i);
	if (!strcmp(what, "listed"))
		return listed(&items[i % 3]);
	if (!strcmp(what, "fails"))
		return fails((int)i);
	if (!strcmp(what, "slow"))
		return slow(2000);
	if (!strcmp(what, "stored"))
		return stored(i);
	if (!strcmp(what, "heap"))
		return heap(i + 1);
	if (!strcmp(what, "cells"))
		return cells(i + 1);
	return 0;
}

struct job {
	char what[32];
	long nr, sum;
};

static void *work(void *arg)
{
	struct job *job = arg;
	long i;

	for (i = 0; i < job->nr; i++)
		job->sum += one(job->what, i);
	return NULL;
}

/* By a shell, another one of us. */
static void run(long nr)
{
	char self[4096], line[4200];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = 0;
	snprintf(line, sizeof(line), "echo plain %ld | %s >/dev/null", nr, self);
	if (system(line))
		exit(1);
}

/* A child, which works when we are gone. */
static void leave(struct job *job)
{
	pid_t self = getpid();

	if (fork())
		return;
	while (getppid() == self)
		usleep(1000);
	strcpy(job->what, "plain");
	work(job);
	_exit(0);
}

int main(void)
{
	char line[128];

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		struct job job = { .nr = 1 }, jobs[64];
		pthread_t threads[64];
		int nr = 1, i;

		if (sscanf(line, "%31s %ld %d", job.what, &job.nr, &nr) < 1)
			continue;
		if (!strcmp(job.what, "exec"))
			execl("/bin/sleep", "sleep", "100", NULL);
		if (!strcmp(job.what, "fork") || !strcmp(job.what, "bear")) {
			const char *does = job.what[0] == 'f' ? "plain" : "heap";
			pid_t child = fork();

			strcpy(job.what, child ? "nothing" : does);
			if (child)
				waitpid(child, NULL, 0);
			else
				_exit(work(&job) != NULL);
		}
		if (!strcmp(job.what, "run"))
			run(job.nr);
		if (!strcmp(job.what, "leave"))
			leave(&job);
		/* By the first thread. */
		if (!strcmp(job.what, "mine")) {
			strcpy(job.what, "stored");
			work(&job);
			nr = 0;
		}
		if (work_told_semaphore)
			DTRACE_PROBE2(work, told, job.what, job.nr);
		for (i = 0; i < nr && i < 64; i++) {
			jobs[i] = job;
			pthread_create(&threads[i], NULL, work, &jobs[i]);
		}
		for (i = 0; i < nr && i < 64; i++) {
			pthread_join(threads[i], NULL);
			job.sum += jobs[i].sum;
		}
		printf("done %ld\n", job.sum);
		fflush(stdout);
	}
	return 0;
}
