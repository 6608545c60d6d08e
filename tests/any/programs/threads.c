/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threads.c - threads that come and go, children, and threads with a thread pointer that is not
 * theirs: each calls work() so often.  Told to go by SIGUSR1; says nothing.
 *
 *   0 to 7       of the C library, 8 at once, each the 1,000th on its stack in the end
 *   100, 101     children of vfork, and their parent
 *   200, 201     children of fork, and their parent
 *   300          made by clone(), with its maker's thread pointer
 *   301          made by clone(), without any
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 1000
#define AT_ONCE 8
#define CHILDREN 100
#define RAW 20000

static volatile long counter;
static volatile sig_atomic_t told;
static int ended;

__attribute__((noipa)) long work(long who)
{
	counter += who;
	return who;
}

static void on_go(int sig)
{
	(void)sig;
	told = 1;
}

static void *twice(void *who)
{
	work((long)who);
	work((long)who);
	return NULL;
}

static int raw(void *who)
{
	int i;

	for (i = 0; i < RAW; i++)
		work((long)who);
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
	/* No C library: it has no thread pointer. */
	for (;;)
		__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}

static void start_raw(int flags, long who)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	clone(raw, stack + 65536 - 64, flags | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
	      CLONE_THREAD | CLONE_SYSVSEM, (void *)who, NULL, NULL, NULL);
}

static void children(void)
{
	pid_t pid;
	int i;

	for (i = 0; i < CHILDREN; i++) {
		pid = vfork();
		if (!pid) {
			work(100);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		work(101);
		pid = fork();
		if (!pid) {
			work(200);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		work(201);
	}
}

int main(void)
{
	pthread_t threads[AT_ONCE];
	int i, j;

	signal(SIGUSR1, on_go);
	while (!told)
		usleep(1000);
	start_raw(0, 300);
	start_raw(CLONE_SETTLS, 301);
	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < AT_ONCE; j++)
			pthread_create(&threads[j], NULL, twice, (void *)(long)j);
		for (j = 0; j < AT_ONCE; j++)
			pthread_join(threads[j], NULL);
	}
	children();
	while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	for (;;)
		pause();
}
