/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nolibc.c - what work.c does, with the kernel's nolibc, which has no signal handlers: SIGTERM is
 * blocked, and waited for.
 */
static volatile unsigned long counter;

__attribute__((noinline, noclone)) int work(int n)
{
	counter++;
	__asm__ volatile("" : : : "memory");
	return n * 3 + 1;
}

int main(void)
{
	const unsigned long term = 1ul << (15 - 1);
	struct { long seconds, nanoseconds; } millisecond = { 0, 1000000 };
	unsigned long calls, wrong = 0;

	my_syscall4(__NR_rt_sigprocmask, 0 /* SIG_BLOCK */, &term, 0, sizeof(term));
	for (calls = 0; my_syscall4(__NR_rt_sigtimedwait, &term, 0, &millisecond, sizeof(term)) != 15;
	     calls++)
		wrong += work((int)(calls % 7)) != (int)(calls % 7) * 3 + 1;
	printf("%lu %lu %lu\n", calls, counter, wrong);
	return 0;
}
