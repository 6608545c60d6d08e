// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * halves.c - are words of 64 bits changed at once where the processor changes 32
 * (trace/shared/split64)?  By threads, by another process that maps the same memory elsewhere, and
 * after a holder has gone.
 */
#include "vm.h"
#include "word.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define TIMES 100000
#define ARENA_LEN 4096u
#define MANY 70u

/* Both halves are the same: nobody has seen one without the other. */
#define BOTH 0x100000001ull

struct arena {
	u32 locks[KT_WORD_LOCKS];
	u64 added, swapped, taken, stored;
};

static struct arena *arena;
static u64 moved;
static u32 torn, over;

static bool is_whole(u64 value)
{
	return (u32)value == (u32)(value >> 32);
}

static void *change(void *arg)
{
	u64 seen;
	int i;

	(void)arg;
	for (i = 0; i < TIMES; i++) {
		kt_add(&arena->added, BOTH);
		do
			seen = kt_load(&arena->swapped);
		while (!kt_swap(&arena->swapped, seen, seen + BOTH));
		kt_add(&arena->taken, BOTH);
		kt_store(&arena->stored, BOTH * (u32)i);
	}
	return NULL;
}

static void *look(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		torn += !is_whole(kt_load(&arena->added)) + !is_whole(kt_load(&arena->swapped)) +
			!is_whole(kt_load(&arena->stored));
		moved += __atomic_exchange_n(&arena->taken, 0, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int result(const char *what, bool good)
{
	printf("%s mips32 halves: %s\n", good ? "ok" : "not ok", what);
	return !good;
}

static void by_threads(void)
{
	pthread_t threads[THREADS], reader;
	int i;

	pthread_create(&reader, NULL, look, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, change, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
}

static bool all_there(u64 times)
{
	return arena->added == BOTH * times && arena->swapped == BOTH * times &&
	       arena->taken + moved == BOTH * times;
}

static struct arena *map(int fd)
{
	struct arena *at = mmap(NULL, ARENA_LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		exit(2);
	kt_halves_share(at, ARENA_LEN, at->locks);
	return at;
}

/* The child's lies elsewhere. */
static bool by_two(int fd)
{
	int status = 1;
	pid_t child;

	memset(arena, 0, sizeof(*arena));
	moved = 0;
	child = fork();
	if (!child) {
		struct arena *before = arena;

		arena = map(fd);
		kt_halves_unshare(before);
		change(NULL);
		_exit(arena == before);
	}
	change(NULL);
	return waitpid(child, &status, 0) == child && !status && all_there(2ull * TIMES);
}

/* Whoever had a word's lock is no more. */
static bool after_a_holder(void)
{
	u64 before = arena->added;
	u32 i;

	for (i = 0; i < KT_WORD_LOCKS; i++)
		arena->locks[i] |= 1;
	return kt_load(&arena->added) == before && kt_add(&arena->added, 5) == before &&
	       kt_load(&arena->added) == before + 5 && kt_swap(&arena->swapped, arena->swapped, 7) &&
	       kt_load(&arena->swapped) == 7 && !kt_swap(&arena->swapped, 8, 9) &&
	       kt_load(&arena->swapped) == 7;
}

/* More than there is room for, and none is left behind. */
static bool many(void)
{
	static struct arena arenas[MANY];
	bool good = true;
	u32 i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < MANY; i++)
			kt_halves_share(&arenas[i], sizeof(arenas[i]), arenas[i].locks);
		for (i = 0; i < MANY; i++)
			good &= kt_add(&arenas[i].added, BOTH) == BOTH * round;
		for (i = 0; i < MANY; i++)
			kt_halves_unshare(&arenas[i]);
	}
	/* Its own locks were used, as far as there was room. */
	return good && arenas[0].locks[offsetof(struct arena, added) / 8 % KT_WORD_LOCKS] == 6 &&
	       !arenas[MANY - 1].locks[offsetof(struct arena, added) / 8 % KT_WORD_LOCKS];
}

int main(void)
{
	int fd = memfd_create("halves", 0), failed = 0;

	if (fd < 0 || ftruncate(fd, ARENA_LEN))
		return 2;
	arena = map(fd);
	failed |= result("more arenas than there is room for", many());
	by_threads();
	failed |= result("threads lose nothing", all_there((u64)THREADS * TIMES));
	failed |= result("nobody sees half of a change", !torn);
	failed |= result("another process, with the arena elsewhere", by_two(fd));
	failed |= result("a holder that has gone keeps nobody", after_a_holder());
	return failed;
}
