/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forks.c - make processes in every way, one after the other, and call work() each time.
 *
 * Owns: the check that no child is killed and that SIGTRAP stays open.  SIGTERM makes it say
 * how many processes it has made, and how many times something was wrong.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile sig_atomic_t ends;

__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static void on_end(int sig)
{
	(void)sig;
	ends = 1;
}

static pid_t make(long way)
{
	static char *args[] = { "true", NULL };
	pid_t child = -1;

	switch (way) {
	case 0:
		child = fork();
		if (!child)
			_exit(work(6));
		break;
	case 1:
		child = vfork();
		if (!child) {
			execv("/bin/true", args);
			_exit(1);
		}
		break;
	default:
		posix_spawn(&child, "/bin/true", NULL, NULL, args, environ);
	}
	return child;
}

/* What was wrong with the child; 0: nothing. */
static int wrong(long way)
{
	int status = -1;
	pid_t child;

	if (way == 3) {
		status = system("exit 7");
	} else {
		child = make(way);
		while (child > 0 && waitpid(child, &status, 0) < 0)
			;
	}
	return status != (way == 0 || way == 3 ? 7 << 8 : 0);
}

int main(void)
{
	long made = 0, bad = 0, killed = 0;
	sigset_t mask;

	signal(SIGTERM, on_end);
	for (; !ends; made++) {
		work(0);
		killed += wrong(made % 4);
		sigprocmask(SIG_BLOCK, NULL, &mask);
		bad += sigismember(&mask, SIGTRAP);
	}
	printf("made %ld, wrong %ld, blocked %ld\n", made, killed, bad);
	return killed || bad;
}
