// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * release.c - threads that are interrupted anywhere, and go on much later.
 *
 * Owns: a program whose threads run two coroutines each, on stacks from the heap.  A
 * signal's handler changes from one to the other, or sleeps: so what a signal has
 * saved lies about for long, also on stacks that no thread is on, and leads back into
 * whatever was interrupted.  Every answer of the functions, which are probed, is
 * compared.  With an argument there are none.  Nothing is changed within a probe's handler, which is not left so.
 * An address and a number on standard input: as many from that one on are kept in
 * memory, until the next; "!": a function is called that goes on with the next line,
 * and returns at "."; its end ends all.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define THREADS 3
#define COROUTINES 2
#define STACK (128 * 1024)
#define MOST 2000
#define EIGHT(fn, n) fn(n##0) fn(n##1) fn(n##2) fn(n##3) fn(n##4) fn(n##5) \
	fn(n##6) fn(n##7)
#define ALL(fn) EIGHT(fn, 1) EIGHT(fn, 2) EIGHT(fn, 3) EIGHT(fn, 4)

#define FUNCTION(n)							\
	__attribute__((noinline, noclone)) int released_##n(int x)	\
	{								\
		__asm__ volatile("" : "+r"(x));				\
		return (x ^ n) * 3 + n;					\
	}
ALL(FUNCTION)
#define POINTER(n) released_##n,
#define NUMBER(n) n,
static int (*const functions[])(int) = { ALL(POINTER) };
static const int numbers[] = { ALL(NUMBER) };
#define FUNCTIONS (sizeof(numbers) / sizeof(numbers[0]))

static volatile int over;
static volatile unsigned long kept[MOST];

struct runner {
	ucontext_t contexts[COROUTINES], back;
	int current;
	unsigned int seed;
};
static __thread struct runner *self;

/* What earlier signals have left below would look like something that is to come. */
static __attribute__((noinline)) void wipe(void)
{
	char below[32 * 1024];

	explicit_bzero(below, sizeof(below));
}

static void work(void)
{
	size_t i;
	int x;

	for (; !over; wipe())
		for (i = 0; i < FUNCTIONS; i++) {
			x = (int)(self->seed + i) & 0xffff;
			if (functions[i](x) != (x ^ numbers[i]) * 3 + numbers[i]) {
				puts("wrong");
				abort();
			}
		}
	setcontext(&self->back);
}

/* The program, and what stands near it for its probes. */
static int is_near(const ucontext_t *uc)
{
	return !(((size_t)uc->uc_mcontext.gregs[REG_RIP] ^ (size_t)work) >> 32);
}

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	const struct timespec moment = { 0, 2000000 };
	struct runner *r = self;
	int from;

	(void)sig;
	(void)info;
	wipe();
	if (!r || over || !is_near(uc))
		return;
	r->seed = r->seed * 1103515245 + 12345;
	if (!(r->seed >> 16 & 15)) {
		nanosleep(&moment, NULL);
		return;
	}
	from = r->current;
	r->current = (from + 1) % COROUTINES;
	swapcontext(&r->contexts[from], &r->contexts[r->current]);
}

static void *run(void *arg)
{
	struct runner r = { .seed = (unsigned int)(size_t)arg };
	int i;

	for (i = 0; i < COROUTINES; i++) {
		getcontext(&r.contexts[i]);
		r.contexts[i].uc_stack.ss_sp = malloc(STACK);
		r.contexts[i].uc_stack.ss_size = STACK;
		makecontext(&r.contexts[i], work, 0);
	}
	self = &r;
	swapcontext(&r.back, &r.contexts[0]);
	self = NULL;
	return NULL;
}

static pthread_t threads[THREADS];

static void *disturb(void *unused)
{
	const struct timespec moment = { 0, 300000 };
	size_t i;

	while (!over) {
		for (i = 0; i < THREADS; i++)
			pthread_kill(threads[i], SIGUSR1);
		nanosleep(&moment, NULL);
	}
	return unused;
}

static void keep(char *line)
{
	unsigned long first = strtoul(line, &line, 16);
	unsigned long nr = strtoul(line, NULL, 10), i;

	for (i = 0; i < MOST; i++)
		kept[i] = i < nr ? first + i : 0;
}

/* Of each call that waits in here, a return probe's instance does. */
__attribute__((noinline, noclone)) int released_99(int depth)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin) && *line != '.') {
		if (*line != '!')
			keep(line);
		puts("done");
		fflush(stdout);
		if (*line == '!' && released_99(depth + 1) != depth + 1) {
			puts("wrong");
			abort();
		}
	}
	puts("done");
	fflush(stdout);
	return depth;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_sigaction = on_signal,
				 .sa_flags = SA_RESTART | SA_SIGINFO };
	size_t threads_nr = argc < 2 ? THREADS : 0, i;
	pthread_t disturber;

	(void)argv;
	sigaction(SIGUSR1, &act, NULL);
	for (i = 0; i < threads_nr; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	if (threads_nr)
		pthread_create(&disturber, NULL, disturb, NULL);
	puts("ready");
	fflush(stdout);
	released_99(0);
	over = 1;
	if (threads_nr)
		pthread_join(disturber, NULL);
	for (i = 0; i < threads_nr; i++)
		pthread_join(threads[i], NULL);
	puts("fine");
}
