/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * user_int3.c - a program with breakpoints of its own (K-HIT-27).
 *
 * Owns: proof that each of its int3 arrives as one SIGTRAP: exit status 0.
 */
#include <signal.h>

static volatile sig_atomic_t traps;

static void on_trap(int number)
{
	(void)number;
	traps++;
}

int main(void)
{
	int i;

	signal(SIGTRAP, on_trap);
	for (i = 0; i < 1000; i++)
		__asm__ volatile("int3");
	return traps != 1000;
}
