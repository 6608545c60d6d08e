/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * victim.c - the process that the samples look into.
 *
 * Owns: a function whose first instruction, results and calls the test knows.
 */
#include <stdio.h>

__attribute__((noinline)) long victim(long n)
{
	__asm__ volatile("" ::: "memory");
	return 2 * n + 1;
}

/* Watched. */
int changes;

int main(void)
{
	long sum = 0, i;

	for (i = 20; i < 23; i++)
		changes = (int)(sum += victim(i));
	printf("sum %ld\n", sum);
	return 0;
}
