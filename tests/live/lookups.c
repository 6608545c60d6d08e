/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lookups.c - handlers that print a symbol's name: they take the registry lock
 * when it is free, and nothing of that is left or done in the handler.
 *
 * The library finds this program's pthread_create.
 */
#include "live.h"
#include "processor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <kprobes/control.h>
#include <linux/kernel.h>
#include <setjmp.h>
#include <sys/time.h>
#include <time.h>

static __thread bool in_handler;
static volatile int made_in_handler, made, stop;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*fn)(void *arg), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	made_in_handler += in_handler;
	made++;
	return real(thread, attr, fn, arg);
}

static int pre_looks_up(struct kprobe *p, struct pt_regs *regs)
{
	int i;

	(void)regs;
	in_handler = true;
	for (i = 0; i < 20; i++)
		printk("%pS\n", (void *)p->addr);
	in_handler = false;
	return 0;
}

static void begin(struct kprobe *p)
{
	int nowhere = open("/dev/null", O_WRONLY);

	NEED(dup2(nowhere, STDERR_FILENO) == STDERR_FILENO);
	kprobes_set_optimization(true);
	*p = (struct kprobe){
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = pre_looks_up,
	};
	NEED(!register_kprobe(p));
	kprobes_flush();
	NEED(is_jump((void *)(unsigned long)live_target));
}

/* ---- a signal handler leaves by siglongjmp ------------------------------------- */

static sigjmp_buf again;

static void leaves(int sig)
{
	(void)sig;
	siglongjmp(again, 1);
}

static void left_by_siglongjmp(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	struct kprobe p;
	volatile int jumps = 0;

	begin(&p);
	signal(SIGPROF, leaves);
	setitimer(ITIMER_PROF, &often, NULL);
	if (sigsetjmp(again, 1))
		jumps++;
	while (jumps < 200)
		live_target(1);
	setitimer(ITIMER_PROF, &never, NULL);
	signal(SIGPROF, SIG_IGN);
	/* Or it waits for the lock. */
	alarm(LIVE_PATIENCE);
	unregister_kprobe(&p);
}

/* ---- somebody puts work off, and drops the lock ---------------------------------- */

static __attribute__((__noinline__, __noclone__)) int other(int a)
{
	__asm__ volatile("");
	return a + 2;
}

static void *calls(void *arg)
{
	(void)arg;
	while (!stop)
		live_target(1);
	return NULL;
}

static void comes_and_goes(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)other,
		.pre_handler = live_pre,
	};

	NEED(!register_kprobe(&p));
	unregister_kprobe(&p);
	usleep(100);
}

static void *registers(void *arg)
{
	while (!stop)
		comes_and_goes();
	return arg;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void work_put_off(void)
{
	struct kprobe p;
	pthread_t threads[2];
	double since = now();

	begin(&p);
	NEED(!pthread_create(&threads[0], NULL, calls, NULL));
	NEED(!pthread_create(&threads[1], NULL, registers, NULL));
	/* Two, so that who drops the lock has somebody to wake. */
	while (!made_in_handler &&
	       (now() - since < 1.5 || (made <= 5 && now() - since < 60)))
		comes_and_goes();
	stop = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	unregister_kprobe(&p);
	NEED(made > 5 && !made_in_handler);
}

int main(void)
{
	child_case("a lookup is left by siglongjmp", left_by_siglongjmp);
	child_case("a lookup makes no thread", work_put_off);
	return live_failed;
}
