/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pointers.c - threads whose thread pointers say little about them.
 *
 * Each thread calls a probed function so often, with its number as the argument; the handlers
 * count, by the argument and by the thread that current() says.  None may be lost, and none be
 * another thread's:
 *
 *   churn    threads of the C library, one after the other with the same thread pointer
 *   shared   threads made by clone() that share their maker's
 *
 * Thread-local storage cannot tell the latter apart, so they are done where the engine has a
 * table in its place: make check-table.
 */
#include "live.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define TARGET __attribute__((noinline, noclone, used))
#define THREADS 4
#define CALLS 20000
#define STACK_LEN 65536

static struct { long calls, mixed; int tid; } seen[THREADS + 1];	/* by argument; atomic */

TARGET static long work(long who)
{
	__asm__ volatile("" : "+r"(who) : : "memory");
	return who;
}

static int before(struct kprobe *kp, struct pt_regs *regs)
{
	long who = (long)regs_get_kernel_argument(regs, 0);

	(void)kp;
	if (current->pid != __atomic_load_n(&seen[who].tid, __ATOMIC_ACQUIRE))
		__atomic_fetch_add(&seen[who].mixed, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&seen[who].calls, 1, __ATOMIC_RELAXED);
	return 0;
}

static struct kprobe probe = { .addr = (kprobe_opcode_t *)work, .pre_handler = before };
static int begun, ended;

static void call_often(long who)
{
	long i;

	for (i = 0; i < CALLS; i++) {
		work(who);
		/* Whatever the engine has for a thread, others come between. */
		if (i % 256 == 0)
			sched_yield();
	}
}

static int body(void *who)
{
	__atomic_store_n(&seen[(long)who].tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < THREADS)
		sched_yield();
	call_often((long)who);
	__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_exit, 0);		/* this thread alone */
	return 0;
}

static long right(void)
{
	long who, nr = 0;

	for (who = 0; who <= THREADS; who++) {
		if (seen[who].calls != CALLS || seen[who].mixed)
			printf("# thread %ld: %ld of %d calls, %ld of another thread\n", who,
			       seen[who].calls, CALLS, seen[who].mixed);
		nr += seen[who].calls == CALLS && !seen[who].mixed;
	}
	return nr;
}

/* Without the C library, which wants to know its threads. */
static bool start(char *top, long who)
{
	return clone(body, top, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SYSVSEM, (void *)who) > 0;
}

static void raw(const char *name)
{
	char *stacks = mmap(NULL, THREADS * STACK_LEN, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long who, made = 0;

	memset(seen, 0, sizeof(seen));
	begun = ended = 0;
	seen[0].tid = (int)syscall(SYS_gettid);
	probe.nmissed = 0;
	for (who = 1; who <= THREADS; who++)
		made += start(stacks + who * STACK_LEN - 64, who);
	call_often(0);
	while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < made)
		usleep(1000);
	EXPECT(name, made == THREADS && right() == THREADS + 1 && !probe.nmissed);
}

static void *short_life(void *who)
{
	__atomic_store_n(&seen[(long)who].tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	work((long)who);
	return NULL;
}

/* Most of them get the thread pointer and the stack of the one before. */
static void churn(int nr)
{
	pthread_t thread;
	int i, made = 0;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < nr; i++) {
		if (pthread_create(&thread, NULL, short_life, (void *)1))
			break;
		made++;
		pthread_join(thread, NULL);
	}
	EXPECT("churn: each thread is one of its own", made == nr && seen[1].calls == nr &&
	       !seen[1].mixed && !probe.nmissed);
}

int main(void)
{
	if (register_kprobe(&probe)) {
		printf("not ok pointers: no probe\n");
		return 1;
	}
	churn(live_rounds(3000));
	if (getenv("T_THREAD_TABLE"))
		raw("shared: threads with one thread pointer are told apart");
	unregister_kprobe(&probe);
	return live_failed;
}
