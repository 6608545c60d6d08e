/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * late.c - the engine is loaded into a process that has been running: threads
 * go in and out of blocked regions, and some have SIGTRAP blocked all the time.
 * Not linked with libkprobes.so: it is found beside this program's directory.
 */
#define _GNU_SOURCE
#include <linux/kprobes.h>
#include <errno.h>

/* For live.h's helpers that this test does not use. */
int register_kprobe(struct kprobe *p)
{
	(void)p;
	return -ENOSYS;
}

#include "live.h"

#include <dlfcn.h>
#include <poll.h>

static volatile int stop;
static sigset_t full;

static void *in_and_out(void *arg)
{
	sigset_t old;

	(void)arg;
	while (!stop) {
		pthread_sigmask(SIG_SETMASK, &full, &old);
		live_target(1);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	return NULL;
}

static void *makes_threads(void *arg)
{
	pthread_t thread;

	(void)arg;
	while (!stop) {
		pthread_create(&thread, NULL, (void *(*)(void *))(void *)usleep,
			       NULL);
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void *trap_blocked(void *arg)
{
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (!stop)
		live_target(2);
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, SIGTRAP) == 1 ? NULL : (void *)1;
}

static void *sleeps(void *arg)
{
	(void)arg;
	while (!stop)
		poll(NULL, 0, 10);
	return NULL;
}

static void *all_blocked(void *arg)
{
	(void)arg;
	pthread_sigmask(SIG_SETMASK, &full, NULL);
	while (!stop)
		usleep(1000);
	return NULL;
}

static void *library(void)
{
	char path[512] = { 0 };
	char *slash;
	int i;

	NEED(readlink("/proc/self/exe", path, 400) > 0);
	for (i = 0; i < 3; i++) {
		slash = strrchr(path, '/');
		NEED(slash);
		*slash = 0;
	}
	strcat(path, "/libkprobes.so");
	return dlopen(path, RTLD_NOW);
}

static int (*reg)(struct kprobe *p);
static void (*unreg)(struct kprobe *p);

static void load(void)
{
	void *lib = library();

	if (!lib)
		printf("# %s\n", dlerror());
	NEED(lib);
	reg = (int (*)(struct kprobe *))dlsym(lib, "kp_register_kprobe");
	unreg = (void (*)(struct kprobe *))dlsym(lib, "kp_unregister_kprobe");
	NEED(reg && unreg);
}

static void while_threads_run(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre, .post_handler = live_post,
	};
	void *(*const jobs[])(void *) = {
		in_and_out, in_and_out, makes_threads, trap_blocked, sleeps,
	};
	pthread_t threads[5];
	void *bad;
	int i;

	for (i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, jobs[i], NULL);
	usleep(20000);
	load();
	for (i = 0; i < 20; i++) {
		NEED(!reg(&p));
		usleep(2000);
		unreg(&p);
		p.flags = 0;
	}
	stop = 1;
	for (i = 0; i < 5; i++) {
		pthread_join(threads[i], &bad);
		NEED(!bad);
	}
	NEED(live_hits > 100);
}

static void with_a_deaf_thread(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
	};
	pthread_t thread;

	pthread_create(&thread, NULL, all_blocked, NULL);
	usleep(20000);
	load();
	NEED(reg(&p) == -EINVAL);
	NEED(p.reason && strstr(p.reason, "did not start"));
	stop = 1;
	pthread_join(thread, NULL);
	NEED(live_target(1) == 2);
}

int main(void)
{
	int i, bad = 0;

	(void)live_arm;
	(void)live_hit;
	sigfillset(&full);
	for (i = 0; i < 10; i++)
		bad += in_child(while_threads_run) != 0;
	EXPECT("loaded ten times into a process with threads", !bad);
	child_case("a thread with all signals blocked: refused, alive",
		   with_a_deaf_thread);
	return live_failed;
}
