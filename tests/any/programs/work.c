/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * work.c - a program that calls work() a thousand times a second, for any C library.
 *
 * Owns: what SIGTERM makes it say: how often it called, and how often work() was.  With an argument
 * it calls 200 times, at once.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* -DFORBID=SYS_..., -DVERDICT=...: a filter says that of one system call. */
#ifdef FORBID
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void fence(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FORBID, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, VERDICT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
#else
static void fence(void)
{
}
#endif

static volatile unsigned long counter;
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

__attribute__((noinline, noclone)) int work(int n)
{
	counter++;
	__asm__ volatile("" : : : "memory");
	return n * 3 + 1;
}

int main(int argc, char **argv)
{
	unsigned long calls, wrong = 0, limit = argc > 1 ? 200 : -1ul;

	(void)argv;

	signal(SIGTERM, stop);
	fence();
	for (calls = 0; !stopped && calls < limit; calls++) {
		wrong += work((int)(calls % 7)) != (int)(calls % 7) * 3 + 1;
		if (argc == 1)
			usleep(1000);
	}
	printf("%lu %lu %lu\n", calls, counter, wrong);
	return 0;
}
