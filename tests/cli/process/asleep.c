/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * asleep.c - threads in sleeps that the kernel goes on with by restart_syscall, which their
 * filter has a verdict on.
 *
 * asleep VERDICT MS: "kill", "errno" or "trap" is the verdict; each sleep takes MS.  It is
 * ready when it says so; when standard input ends it says "fine", or which sleep ended how.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec time_of;
static int ms, never, stopping, problems;

__attribute__((noipa)) int asleep_tick(int n)
{
	__asm__ volatile("");
	return n + 1;
}

static void filter(const char *verdict)
{
	unsigned int action = !strcmp(verdict, "kill") ? SECCOMP_RET_KILL_PROCESS :
			      !strcmp(verdict, "trap") ? SECCOMP_RET_TRAP :
			      SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		exit(9);
}

static int by_nanosleep(void) { return syscall(SYS_nanosleep, &time_of, NULL) ? errno : 0; }
static int by_clock(void) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &time_of, NULL); }
static int by_poll(void) { return poll(NULL, 0, ms) ? errno : 0; }
static int by_futex(void)
{
	syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &time_of, NULL, 0);
	return errno == ETIMEDOUT ? 0 : errno;
}

static const struct {
	const char *name;
	int (*sleep)(void);
} ways[] = {
	{ "nanosleep", by_nanosleep }, { "clock_nanosleep", by_clock },
	{ "poll", by_poll }, { "futex", by_futex },
};

static void *run(void *arg)
{
	long i = (long)arg;
	struct timespec from, to;

	while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED)) {
		int got;

		asleep_tick((int)i);
		clock_gettime(CLOCK_MONOTONIC, &from);
		got = ways[i].sleep();
		clock_gettime(CLOCK_MONOTONIC, &to);
		if (got || (to.tv_sec - from.tv_sec) * 1000 +
			   (to.tv_nsec - from.tv_nsec) / 1000000 + 2 < ms) {
			printf("%s: errno %d, or it was too short\n", ways[i].name, got);
			problems++;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	long i;

	if (argc < 3)
		return 9;
	ms = atoi(argv[2]);
	time_of.tv_sec = ms / 1000;
	time_of.tv_nsec = ms % 1000 * 1000000l;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	usleep(20000);
	filter(argv[1]);
	puts("ready");
	while (getchar() != EOF)
		;
	__atomic_store_n(&stopping, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (!problems)
		puts("fine");
	return problems != 0;
}
