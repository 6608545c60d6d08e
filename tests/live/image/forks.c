/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * forks.c - for forks.sh: a program whose children do what it does.
 *
 * It calls ready() until there is a line to read.  Then it calls work() 200 times, and write_to() 100 times; each of its ten
 * children calls work() five times.  Then it says so, and ends with the next line.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct object {
	long value;
};

static struct object object;

long work(long n);
void ready(void);
void write_to(struct object *to);

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("");
	return n + 1;
}

__attribute__((noinline)) void write_to(struct object *to)
{
	__asm__ volatile("");
	*(volatile long *)&to->value += 1;
}

__attribute__((noinline)) void ready(void)
{
	__asm__ volatile("");
}

int main(void)
{
	struct pollfd line = { .fd = 0, .events = POLLIN };
	int i, nr;

	while (!poll(&line, 1, 10))
		ready();
	getchar();
	for (i = 0; i < 200; i++) {
		work(i);
		if (i % 2)
			write_to(&object);
		if (i % 20 || fork())
			continue;
		for (nr = 0; nr < 5; nr++)
			work(nr);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	puts("done");
	fflush(stdout);
	getchar();
	return 0;
}
