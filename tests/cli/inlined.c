/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * inlined.c - a program whose function twice() exists in copies only.
 *
 * Owns: three copies, in two functions, each with an instruction of its own.
 * Without an argument it runs once; with one it works until it is killed.
 */
#include <stdio.h>
#include <unistd.h>

static inline __attribute__((always_inline)) int twice(int x)
{
	__asm__ volatile("lea 1(%0), %0" : "+r"(x));
	return x * 2;
}

__attribute__((noinline)) int one_copy(int x)
{
	return twice(x) + 1;
}

__attribute__((noinline)) int two_copies(int x)
{
	return twice(x) + twice(x ^ 4);
}

static int unseen(int x)
{
	return one_copy(x) + two_copies(x);
}

int (*volatile called)(int) = unseen;

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	do {
		sum += called(argc);
		if (argc > 1)
			usleep(1000);
	} while (argc > 1);
	printf("%d\n", sum);
	return 0;
}
