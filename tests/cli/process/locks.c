/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * locks.c - a program that locks all memory that it has and maps; when standard input ends
 * it maps some of its own, and says "fine".
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noipa)) int locks_tick(int n)
{
	__asm__ volatile("");
	return n + 1;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 9;
	puts("ready");
	while (getchar() != EOF)
		locks_tick(1);
	if (mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	    MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	puts("fine");
	return 0;
}
