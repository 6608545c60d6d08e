/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threads.c - threads that begin and end inside return-probed functions.
 *
 * The start routine and a function below it carry return probes.  Of 1,000
 * threads a third returns, a third calls pthread_exit deep inside, a third is
 * cancelled.  A second 1,000 must not cost more memory than the first.
 */
#include "jumps.h"
#include "memory.h"

#define TARGET __attribute__((noinline, noclone, used))
#define THREADS 1000
#define AT_ONCE 50

static struct kretprobe probes[2];	/* start(), inner() */
static long returns[2];			/* atomic */

static pthread_barrier_t all_inside;

TARGET static void inner(long how, int depth)
{
	__asm__ volatile("" ::: "memory");
	if (depth)
		inner(how, depth - 1);
	else if (how == 1)
		pthread_exit(NULL);
	else if (how == 2)
		for (;;)
			pause();
	else if (how == 3)
		pthread_barrier_wait(&all_inside);
	__asm__ volatile("" ::: "memory");
}

TARGET static void *start(void *how)
{
	inner((long)how, 3);
	__asm__ volatile("" ::: "memory");
	return how;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)regs;
	__atomic_fetch_add(&returns[ri->rp - probes], 1, __ATOMIC_RELAXED);
	return 0;
}

static int some(int first)
{
	pthread_t threads[AT_ONCE];
	int i, wrong = 0;
	void *result;

	for (i = 0; i < AT_ONCE; i++)
		wrong += pthread_create(&threads[i], NULL, start,
					(void *)(long)((first + i) % 3)) != 0;
	for (i = 0; i < AT_ONCE; i++)
		if ((first + i) % 3 == 2)
			pthread_cancel(threads[i]);
	for (i = 0; i < AT_ONCE; i++) {
		pthread_join(threads[i], &result);
		wrong += result != ((first + i) % 3 == 2 ? PTHREAD_CANCELED
							 : NULL);
	}
	return wrong;
}

/* The pools find their size: twice as many threads inside as ever later. */
static int warm_up(void)
{
	pthread_t threads[2 * AT_ONCE];
	int i, wrong = 0;

	pthread_barrier_init(&all_inside, NULL, 2 * AT_ONCE);
	for (i = 0; i < 2 * AT_ONCE; i++)
		wrong += pthread_create(&threads[i], NULL, start,
					(void *)3l) != 0;
	for (i = 0; i < 2 * AT_ONCE; i++)
		pthread_join(threads[i], NULL);
	return wrong;
}

static struct memory one_thousand(int *wrong)
{
	struct memory m;
	int i;

	for (i = 0; i < THREADS; i += AT_ONCE)
		*wrong += some(i);
	m = memory_now();
	m.instances = instances_of(&probes[0]) + instances_of(&probes[1]);
	return m;
}

/* Every thread is gone: as many calls at a time as there are instances. */
static void take_back(void)
{
	inner(0, (int)instances_of(&probes[1]) + 4);
}

int main(void)
{
	struct memory first, second;
	int wrong;

	jumps_begin();
	probes[0].kp.addr = (void *)start;
	probes[1].kp.addr = (void *)inner;
	probes[0].handler = probes[1].handler = on_return;
	EXPECT("K-RET-48 register",
	       !register_kretprobe(&probes[0]) && !register_kretprobe(&probes[1]));
	EXPECT("K-RET-48 through jumps, or not",
	       jumps_settle((void *)start) && jumps_settle((void *)inner));
	wrong = warm_up();
	first = one_thousand(&wrong);
	second = one_thousand(&wrong);
	EXPECT("K-RET-48 2,000 threads return, exit and are cancelled", !wrong);
	expect_stable("K-RET-48 1,000 threads, and 1,000 more", &first, &second,
		      1024);
	/* A thread that is cancelled before it starts makes no call. */
	EXPECT("K-RET-48 those that return are seen to",
	       returns[0] >= 600 && !probes[0].nmissed && !probes[1].nmissed);
	take_back();
	printf("# %ld and %ld returns, %d and %d stale\n", returns[0],
	       returns[1], probes[0].nstale, probes[1].nstale);
	EXPECT("K-RET-48 the others' instances are taken back",
	       probes[1].nstale > 4 * 600 && probes[1].nstale <= 4 * 1500);
	unregister_kretprobe(&probes[0]);
	unregister_kretprobe(&probes[1]);
	return live_failed;
}
