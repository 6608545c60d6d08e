// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * target.c - a program that is attached to, and notices if it is disturbed.
 *
 * Owns: threads, as named by the arguments:
 *   busy    work in target_work, called by way of saves, allocate, and make system calls
 *   sleeps  one thread for each way to wait; none may end early or with EINTR
 *   blocked keeps all signals blocked, SIGTRAP too
 *   keeps   computes with all registers around system calls that are written out,
 *           and looks whether they stay (tests/cli/ARCH/keeps.h)
 *   naps    its main thread sleeps once by nanosleep(), for $NAP seconds, which must take as
 *           long as it should, whatever stops it, and once by poll(), whose time the kernel does
 *           not count while it is stopped; then the program ends
 * It says "ready" when all have begun, and runs until standard input ends; then "fine",
 * or what was wrong, and how often target_work was called.
 *
 *   target text PID   compares that process's text with the files that it is from
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONG_S 100000			/* longer than any test */

static atomic_bool over;
static atomic_ulong works, wrongs;
static int quiet_pipe[2];
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;

static void wrong(const char *what, long result)
{
	if (atomic_load(&over))
		return;
	fprintf(stderr, "wrong: %s ended with %ld (%s)\n", what, result,
		strerror(errno));
	atomic_fetch_add(&wrongs, 1);
}

__attribute__((noinline)) unsigned long target_work(unsigned long a)
{
	__asm__ volatile("" : "+r"(a));
	atomic_fetch_add(&works, 1);
	return a * 3 + 1;
}

struct pair {
	const char *first, *second;
};

__attribute__((noinline)) void target_pair(const struct pair *pair)
{
	__asm__ volatile("" : : "r"(pair) : "memory");
}

/* What is alive around the call takes all registers that functions leave alone. */
__attribute__((noinline)) static unsigned long saves(unsigned long a)
{
	unsigned long v[8] = { a, a, a, a, a, a, a, a }, sum = 0, result;

#define EACH(use) use(v[0]) use(v[1]) use(v[2]) use(v[3]) use(v[4]) use(v[5]) use(v[6]) use(v[7])
#define HIDE(x) __asm__ volatile("" : "+r"(x));
#define ADD(x) sum += x;
	EACH(HIDE)
	result = target_work(a);
	EACH(ADD)
	return sum == 8 * a ? result : 0;
}

static void *busy(void *arg)
{
	const struct pair pair = { "one", "two" };
	unsigned long i;

	for (i = 0; !atomic_load(&over); i++) {
		void *volatile block = malloc(16 + i % 4096);

		target_pair(&pair);
		if (saves(i) != i * 3 + 1)
			wrong("target_work", (long)i);
		free(block);
		if (i % 64 == 0)
			usleep(1000);
	}
	return arg;
}

#include "keeps.h"

static void *in_read(void *arg)
{
	char byte;

	wrong("read", read(quiet_pipe[0], &byte, 1));
	return arg;
}

static void *in_nanosleep(void *arg)
{
	struct timespec time = { LONG_S, 0 };

	wrong("nanosleep", nanosleep(&time, NULL));
	return arg;
}

static void *in_short_sleeps(void *arg)
{
	struct timespec before, after, time = { 0, 200000000 };
	long ms;

	while (!atomic_load(&over)) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		if (nanosleep(&time, NULL))
			wrong("a short nanosleep", -1);
		clock_gettime(CLOCK_MONOTONIC, &after);
		ms = (after.tv_sec - before.tv_sec) * 1000 +
		     (after.tv_nsec - before.tv_nsec) / 1000000;
		if (ms < 200)
			wrong("a short nanosleep, too early", ms);
	}
	return arg;
}

static void *in_mutex(void *arg)
{
	pthread_mutex_lock(&never);
	wrong("pthread_mutex_lock", 0);
	return arg;
}

static void *in_timed_wait(void *arg)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += LONG_S;
	pthread_mutex_lock(&mutex);
	wrong("pthread_cond_timedwait", pthread_cond_timedwait(&cond, &mutex, &end));
	return arg;
}

static void *in_poll(void *arg)
{
	struct pollfd fd = { .fd = quiet_pipe[0], .events = POLLIN };

	wrong("poll", poll(&fd, 1, LONG_S * 1000));
	return arg;
}

static void *in_select(void *arg)
{
	struct timeval time = { LONG_S, 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(quiet_pipe[0], &set);
	wrong("select", select(quiet_pipe[0] + 1, &set, NULL, NULL, &time));
	return arg;
}

static void *in_epoll(void *arg)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	wrong("epoll_wait", epoll_wait(fd, &event, 1, -1));
	return arg;
}

static void *in_semaphore(void *arg)
{
	sem_t sem;

	sem_init(&sem, 0, 0);
	wrong("sem_wait", sem_wait(&sem));
	return arg;
}

static void *in_sigtimedwait(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	wrong("sigwaitinfo", sigwaitinfo(&set, NULL));
	return arg;
}

static void *blocked(void *arg)
{
	sigset_t all, now;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (!atomic_load(&over)) {
		usleep(1000);
		pthread_sigmask(SIG_BLOCK, NULL, &now);
		if (!sigismember(&now, SIGTRAP) || !sigismember(&now, SIGUSR1))
			wrong("a mask", 0);
		target_work(1);
	}
	return arg;
}

static void begin(void *(*fn)(void *arg))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, NULL))
		abort();
}

static long ms_since(const struct timespec *before)
{
	struct timespec after;

	clock_gettime(CLOCK_MONOTONIC, &after);
	return (after.tv_sec - before->tv_sec) * 1000 +
	       (after.tv_nsec - before->tv_nsec) / 1000000;
}

static void nap(void)
{
	const char *seconds = getenv("NAP");
	struct timespec before, time = { seconds ? atol(seconds) : 20, 0 };
	const long due = time.tv_sec * 1000;
	int result;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &before);
	result = nanosleep(&time, NULL);
	ms = ms_since(&before);
	if (result || ms < due || ms > due + 2000)
		wrong("a nap by nanosleep", ms);
	clock_gettime(CLOCK_MONOTONIC, &before);
	result = poll(NULL, 0, 5000);
	ms = ms_since(&before);
	if (result || ms < 5000)
		wrong("a nap by poll", ms);
}

static int compare(pid_t pid, const char *line, FILE *mem)
{
	static uint8_t now[1 << 16], then[1 << 16];
	unsigned long from, to, offset;
	char mode[8], path[512] = "";
	size_t len, i;
	FILE *file;
	int bad = 0;

	if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &from, &to, mode, &offset,
		   path) != 5 || mode[2] != 'x' || path[0] != '/' ||
	    strstr(path, "kprobes") || strstr(path, "(deleted)"))
		return 0;
	file = fopen(path, "r");
	if (!file || fseek(file, (long)offset, SEEK_SET) ||
	    fseeko(mem, (off_t)from, SEEK_SET))
		return 1;
	for (; from < to && !bad; from += len) {
		len = to - from < sizeof(now) ? to - from : sizeof(now);
		memset(then, 0, sizeof(then));
		if (fread(now, 1, len, mem) != len || (!fread(then, 1, len, file) && ferror(file)))
			bad = 1;
		for (i = 0; i < len && !bad; i++)
			if (now[i] != then[i]) {
				printf("process %d: %s differs at %lx\n", (int)pid,
				       path, from + i);
				bad = 1;
			}
	}
	fclose(file);
	return bad;
}

static int compare_text(pid_t pid)
{
	char path[64], line[1024];
	FILE *maps, *mem;
	int bad = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	mem = fopen(path, "r");
	if (!maps || !mem)
		return 2;
	while (fgets(line, sizeof(line), maps))
		bad |= compare(pid, line, mem);
	puts(bad ? "other" : "same");
	return bad;
}

int main(int argc, char **argv)
{
	static void *(*const sleepers[])(void *) = {
		in_read, in_nanosleep, in_short_sleeps, in_mutex, in_timed_wait,
		in_poll, in_select, in_epoll, in_semaphore, in_sigtimedwait,
	};
	bool napping = false;
	unsigned int i;
	char byte;

	if (argc > 2 && !strcmp(argv[1], "text"))
		return compare_text(atoi(argv[2]));
	if (pipe(quiet_pipe))
		return 2;
	pthread_mutex_lock(&never);
	for (; argc > 1; argc--, argv++) {
		if (!strcmp(argv[1], "busy"))
			for (i = 0; i < 3; i++)
				begin(busy);
		if (!strcmp(argv[1], "sleeps"))
			for (i = 0; i < sizeof(sleepers) / sizeof(sleepers[0]); i++)
				begin(sleepers[i]);
		if (!strcmp(argv[1], "blocked"))
			begin(blocked);
		if (!strcmp(argv[1], "naps"))
			napping = true;
		if (!strcmp(argv[1], "keeps"))
			begin(keeps);
	}
	puts("ready");
	fflush(stdout);
	if (napping) {
		nap();
		puts(atomic_load(&wrongs) ? "wrong" : "fine");
		return atomic_load(&wrongs) != 0;
	}
	while (read(0, &byte, 1) == 1)
		;
	usleep(10000);
	atomic_store(&over, true);
	printf("%s %lu\n", atomic_load(&wrongs) ? "wrong" : "fine",
	       atomic_load(&works));
	fflush(stdout);
	_exit(atomic_load(&wrongs) != 0);
}
