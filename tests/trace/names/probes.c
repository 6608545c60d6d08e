// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * probes.c - a program with notes of its own for probes.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include <stdio.h>

unsigned short subject_plain_semaphore __attribute__((section(".probes")));
unsigned short subject_guarded_semaphore __attribute__((section(".probes")));

long table[4] = { 1, 2, 3, 4 };

__attribute__((noinline)) void plain(int number, const char *text, short small)
{
	STAP_PROBE3(subject, plain, number, text, small);
}

__attribute__((noinline)) void guarded(unsigned char byte)
{
	if (subject_guarded_semaphore)
		STAP_PROBE4(subject, guarded, byte, 7L, -5, table[2]);
	else
		puts("nobody looks");
}

int main(int argc, char **argv)
{
	plain(argc, argv[0], 3);
	guarded((unsigned char)argc);
	return 0;
}
