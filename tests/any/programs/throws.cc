/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* throws.cc - work() that throws every third time, and is caught two frames above. */
#include <csignal>
#include <cstdio>
#include <unistd.h>

static volatile unsigned long counter;
static volatile sig_atomic_t stopped;

static void stop(int)
{
	stopped = 1;
}

extern "C" __attribute__((noinline, noclone)) int work(int n)
{
	counter = counter + 1;
	if (n % 3 == 2)
		throw n;
	return n * 3 + 1;
}

__attribute__((noinline, noclone)) static int between(int n)
{
	int got = work(n);

	__asm__ volatile("" : : : "memory");
	return got;
}

int main(int argc, char **)
{
	unsigned long calls, wrong = 0, limit = argc > 1 ? 200 : -1ul;

	std::signal(SIGTERM, stop);
	for (calls = 0; !stopped && calls < limit; calls++) {
		int n = (int)(calls % 7), got = 0;

		try {
			got = between(n);
		} catch (int thrown) {
			got = -thrown;
		}
		wrong += got != (n % 3 == 2 ? -n : n * 3 + 1);
		if (argc == 1)
			usleep(1000);
	}
	std::printf("%lu %lu %lu\n", calls, (unsigned long)counter, wrong);
	return 0;
}
