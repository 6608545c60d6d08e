// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scribble.c - a target that fights back.
 *
 * Owns: a thread that writes all over the memory which it shares with who traces it,
 * as soon as there is any; another one is probed meanwhile.  Ends with its input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int work(int n);

__attribute__((noinline, noclone)) int work(int n)
{
	__asm__ volatile("" : : "r"(n) : "memory");
	return n + 1;
}

/* The mapping of that name, if there is one. */
static int find(char **at, size_t *len)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (strstr(line, "memfd:kprobes-trace") &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2) {
			*at = (char *)start;
			*len = end - start;
			found = 1;
		}
	if (maps)
		fclose(maps);
	return found;
}

/* Words near what was there do more harm than noise. */
static void *scribble(void *unused)
{
	unsigned long seed = 88172645463325252ul;
	size_t len, i;
	char *at;

	for (;;) {
		if (!find(&at, &len)) {
			usleep(1000);
			continue;
		}
		for (i = 0; i < 20000; i++) {
			unsigned long *word;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			word = (unsigned long *)(at + seed % (len / 8) * 8);
			*word = seed & 1 ? seed : *word + (seed >> 60) - 8;
		}
		usleep(seed % 2000);
	}
	return unused;
}

static void *busy(void *unused)
{
	int i;

	for (i = 0;; i = work(i))
		if (i % 1000 == 0)
			usleep(100);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	char c;

	pthread_create(&threads[0], NULL, scribble, NULL);
	pthread_create(&threads[1], NULL, busy, NULL);
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	_exit(0);
}
