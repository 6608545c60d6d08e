// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * calls.c - system calls in all shapes, each so often as its name's list says.
 *
 * Owns: nothing.  Calls by the C library, by number, by instructions of its own
 * whose number comes from a loop or from two places, interrupted ones, those of
 * threads and children.  "go" on standard input begins; at its end it exits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define NOBODY 999999

/* The number comes from one of two branches, and what is behind has a way of its own. */
NOINLINE static long either(int which, long first)
{
	long ret;

	__asm__ volatile(
		"	test	%1, %1\n"
		"	js	3f\n"
		"	jz	1f\n"
		"	mov	$140, %%eax\n"		/* getpriority */
		"	jmp	2f\n"
		"1:	mov	$121, %%eax\n"		/* getpgid */
		"2:	syscall\n"
		"3:	nop\n"
		: "=a"(ret) : "r"(which), "D"(first), "S"(NOBODY), "a"(0)
		: "rcx", "r11", "memory");
	return ret;
}

/* A constant, but not right before it. */
NOINLINE static long in_a_loop(int nr)
{
	long ret;

	__asm__ volatile(
		"	mov	$107, %%ebx\n"		/* geteuid */
		"	jmp	1f\n"
		"	.p2align 4\n"
		"1:	mov	%%ebx, %%eax\n"
		"	syscall\n"
		"	dec	%1\n"
		"	jnz	1b\n"
		: "=&a"(ret), "+r"(nr) : : "rbx", "rcx", "r11", "memory");
	return ret;
}

static void *opens(void *arg)
{
	int i;

	for (i = 0; i < 50; i++) {
		close(open("/dev/null", O_RDONLY));
		open("/no/such/file", O_RDONLY);
	}
	return arg;
}

static int ends[2];

/* It calls, too, while the call that it has interrupted is under way. */
static void on_alarm(int number)
{
	char c = (char)number;

	getppid();
	if (write(ends[1], &c, 1) != 1)
		abort();
}

static void interrupted(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	timer_t timer;
	struct itimerspec soon = { .it_value = { 0, 30000000 } };
	struct timespec enough = { 20, 0 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR1 };
	int i;

	sigaction(SIGUSR1, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	for (i = 0; i < 5; i++) {
		timer_settime(timer, 0, &soon, NULL);
		/* EINTR, however long it would be. */
		nanosleep(&enough, NULL);
	}
}

static void children(void)
{
	int i;

	for (i = 0; i < 4; i++) {
		if (!vfork())
			_exit(3);
		wait(NULL);
	}
	for (i = 0; i < 3; i++)
		if (!fork())
			_exit(3);
		else
			wait(NULL);
}

int main(void)
{
	struct timespec none = { 0, 0 };
	pthread_t threads[4];
	sigset_t set;
	char c;
	int i;

	puts("ready");
	fflush(stdout);
	if (read(0, &c, 1) != 1 || pipe(ends))
		return 1;
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, opens, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 20; i++) {
		either(1, 0);
		either(0, NOBODY);
		either(-1, 0);
		syscall(SYS_getpriority, 0, NOBODY, 3, 4, 5, 6);
		execve("/no/such/program", NULL, NULL);
		ppoll(NULL, 0, &none, NULL);
	}
	in_a_loop(60);
	for (i = 0; i < 10; i++)
		munmap(mmap(NULL, 12345, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0), 12345);
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	for (i = 0; i < 7; i++)
		sigprocmask(SIG_BLOCK, &set, NULL);
	interrupted();
	children();
	return 0;
}
