/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * odd.c - with work.c: what a program may do to its memory before its main begins.
 *
 *   -DSMALL   a thread on a stack of 4 KB calls small_work(), and dies of a wrong answer
 *   -DFULL    no address within 2 GB of its text is free
 *   -DMDWE    no page becomes executable that was not
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef SMALL
__attribute__((noinline, noclone)) int small_work(int n)
{
	__asm__ volatile("" : : : "memory");
	return n * 3 + 1;
}

static long call(long nr, long a, long b)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return result;
}

static int on_small(void *arg)
{
	struct timespec millisecond = { 0, 1000000 };
	int n;

	(void)arg;
	for (n = 0;; n = (n + 1) % 7) {
		if (small_work(n) != n * 3 + 1)
			__builtin_trap();
		call(SYS_nanosleep, (long)&millisecond, 0);
	}
	return 0;
}

static void prepare(void)
{
	/* Nothing below it can be touched. */
	char *at = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at + 4096, 4096, PROT_READ | PROT_WRITE);
	clone(on_small, at + 2 * 4096 - 64, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
	      CLONE_SYSVSEM, NULL, NULL, NULL, NULL);
}
#elif defined FULL
/* Pages that nobody can use, wherever something is free. */
static void prepare(void)
{
	const uint64_t text = (uintptr_t)prepare, near = (uint64_t)2 << 30, step = 4096;
	uint64_t at = text > near ? (text - near) & ~(step - 1) : 65536, size;

	for (size = (uint64_t)1 << 30; size >= step; size /= 2) {
		uint64_t from = at / size * size;

		for (; from < text + near; from += size)
			mmap((void *)(uintptr_t)from, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			     MAP_FIXED_NOREPLACE, -1, 0);
		if (size <= 65536)
			break;
	}
}
#else
static void prepare(void)
{
	if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0)) {
		perror("PR_SET_MDWE");
		exit(77);
	}
}
#endif

__attribute__((constructor)) static void begin(void)
{
	prepare();
}
