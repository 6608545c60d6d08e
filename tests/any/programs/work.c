/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * work.c - a program that calls work() a thousand times a second, for any C library.
 *
 * Owns: what SIGTERM makes it say: how often it called, and how often work() was.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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

int main(void)
{
	unsigned long calls, wrong = 0;

	signal(SIGTERM, stop);
	for (calls = 0; !stopped; calls++) {
		wrong += work((int)(calls % 7)) != (int)(calls % 7) * 3 + 1;
		usleep(1000);
	}
	printf("%lu %lu %lu\n", calls, counter, wrong);
	return 0;
}
