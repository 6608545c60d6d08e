/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * processes.c - fork, vfork, exec, threads and objects that come and go.
 */
#include "live.h"

#include <kprobes/load.h>
#include <linux/sched.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>

static void child_is_probed(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre,
	};

	NEED(live_hit());
	unregister_kprobe(&live_probe);
	NEED(*(unsigned char *)(unsigned long)live_target != 0xcc);
	NEED(!live_hit());
	NEED(!register_kprobe(&p) && live_hit());
	unregister_kprobe(&p);
}

static void by_fork(void)
{
	child_is_probed();
}

/* A fork that no atfork handler sees. */
static int raw_fork(void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static volatile int stop;

static void *calls(void *arg)
{
	(void)arg;
	while (!stop)
		live_target(1);
	return NULL;
}

static void *registers(void *arg)
{
	(void)arg;
	while (!stop) {
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)(unsigned long)live_target,
			.pre_handler = live_pre,
		};

		register_kprobe(&p);
		unregister_kprobe(&p);
	}
	return NULL;
}

static void child_registers(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre,
	};
	long before = live_hits;

	alarm(LIVE_PATIENCE);
	NEED(!register_kprobe(&p));
	NEED(live_target(1) == 2 && live_hits >= before + 2);
	unregister_kprobe(&p);
}

/*
 * The C library's own locks may be held for ever in such a child: it can be
 * probed, but not call register_kprobe, as little as malloc.
 */
static void child_hits(void)
{
	long before = live_hits;
	int i;

	for (i = 0; i < 100; i++)
		NEED(live_target(i) == i + 1);
	NEED(live_hits >= before + 100);
}

static void fork_under_load(void)
{
	pthread_t threads[3];
	const int rounds = live_rounds(100);
	int i, bad = 0, raw_bad = 0;

	pthread_create(&threads[0], NULL, calls, NULL);
	pthread_create(&threads[1], NULL, calls, NULL);
	pthread_create(&threads[2], NULL, registers, NULL);
	for (i = 0; i < rounds; i++) {
		bad += in_child(child_registers) != 0;
		raw_bad += raw_fork(child_hits) != 0;
	}
	stop = 1;
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	stop = 0;
	EXPECT("fork while threads hit and register", !bad);
	EXPECT("raw fork while threads hit and register", !raw_bad);
	EXPECT("parent afterwards", live_hit());
}

static void nested(void)
{
	NEED(live_hit());
	NEED(!in_child(child_is_probed));
	NEED(live_hit());
}

static void vforks(void)
{
	const int rounds = live_rounds(50);
	int i, status;

	for (i = 0; i < rounds; i++) {
		pid_t pid = vfork();

		if (!pid) {
			live_target(1);
			execlp("true", "true", NULL);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		NEED(!status && live_hit());
	}
}

/* ---- return probes and vfork ------------------------------------------------ */

static sem_t entered, leave;
static int pid_seen;

static __attribute__((noinline, noclone, used)) int rests(int wait)
{
	__asm__ volatile("");
	if (wait) {
		sem_post(&entered);
		sem_wait(&leave);
	}
	return wait + 1;
}

static int sees_pid(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	(void)regs;
	pid_seen = current->pid;
	return 0;
}

static struct kretprobe resting = {
	.kp.addr = (kprobe_opcode_t *)(unsigned long)rests,
	.handler = sees_pid, .maxactive = 1,
};

static int call_in_vfork(void)
{
	int status = 1;
	pid_t pid = vfork();

	if (!pid) {
		rests(0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void *rests_once(void *vforks)
{
	int tid = (int)syscall(SYS_gettid);

	if (vforks)
		NEED(!call_in_vfork() && pid_seen && pid_seen != tid);
	NEED(rests(1) == 2 && pid_seen == tid);
	return NULL;
}

/* Somebody else's call finds no instance, and takes none from the thread. */
static void instance_is_kept(bool first_in_vfork, int (*another)(void))
{
	pthread_t thread;

	NEED(!register_kretprobe(&resting));
	NEED(!pthread_create(&thread, NULL, rests_once,
			     first_in_vfork ? &thread : NULL));
	sem_wait(&entered);
	NEED(!another() && resting.nmissed == 1);
	sem_post(&leave);
	pthread_join(thread, NULL);
	unregister_kretprobe(&resting);
}

static int call_here(void)
{
	return rests(0) != 1;
}

static void vfork_comes_first(void)
{
	instance_is_kept(true, call_here);
}

static void vfork_meanwhile(void)
{
	instance_is_kept(false, call_in_vfork);
}

/* ---- fork while a module is loaded and unloaded ----------------------------- */

static int ends_now;

void waits_now(void);
void waits_now(void)
{
	if (ends_now && !--ends_now) {
		alarm(LIVE_PATIENCE);
		exit(0);
	}
	sem_post(&entered);
	sem_wait(&leave);
}

static void *loads(void *path)
{
	NEED(!kp_load(path, NULL, 0));
	NEED(!kp_unload(path));
	return NULL;
}

/* Not in_child's end: exit() ends the modules. */
static void exits_in_time(void)
{
	alarm(LIVE_PATIENCE);
	exit(0);
}

/* The module's init, or its exit function, ends the process. */
static void exit_in_init(void)
{
	ends_now = 1;
	kp_load(live_beside("waits.so"), NULL, 0);
	_exit(2);
}

static void exit_in_exit(void)
{
	char *path = live_beside("waits.so");

	ends_now = 2;
	sem_post(&leave);
	kp_load(path, NULL, 0);
	kp_unload(path);
	_exit(2);
}

static void fork_while_loading(void)
{
	char *path = live_beside("waits.so");
	pthread_t thread;
	int i;

	NEED(!pthread_create(&thread, NULL, loads, path));
	for (i = 0; i < 2; i++) {
		sem_wait(&entered);
		NEED(!in_child(exits_in_time));
		NEED(!raw_fork(exits_in_time));
		sem_post(&leave);
	}
	pthread_join(thread, NULL);
}

static void *one_hit(void *arg)
{
	(void)arg;
	return live_target(1) == 2 ? NULL : (void *)1;
}

/* More threads than a chunk has contexts, and contexts used again. */
static void many_threads(void)
{
	static pthread_t threads[200];
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)(unsigned long)live_target,
		.pre_handler = live_pre,
	};
	const int rounds = live_rounds(5);
	long before = live_hits;
	int round, i;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < 200; i++)
			NEED(!pthread_create(&threads[i], NULL, one_hit, NULL));
		for (i = 0; i < 200; i++) {
			void *bad;

			pthread_join(threads[i], &bad);
			NEED(!bad);
		}
		NEED(!register_kprobe(&p));
		unregister_kprobe(&p);
		p.flags = 0;
	}
	NEED(live_hits == before + 200 * rounds && !live_probe.nmissed);
}

/* ---- shared objects ------------------------------------------------------- */

static void unloaded(void)
{
	struct kprobe p = { .pre_handler = live_pre };
	struct kprobe q = { .pre_handler = live_pre };
	double (*fn)(double);
	int round;

	for (round = 0; round < 5; round++) {
		void *lib = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
		long before = live_hits;
		int err;

		NEED(lib);
		fn = (double (*)(double))dlsym(lib, "cbrt");
		NEED(fn);
		p.addr = (kprobe_opcode_t *)(unsigned long)fn;
		p.symbol_name = NULL;
		p.flags = 0;
		err = register_kprobe(&p);
		if (err)
			printf("# %d %s\n", err, p.reason);
		NEED(!err);
		q.addr = NULL;
		q.symbol_name = "libm:cbrt";
		q.flags = 0;
		NEED(!register_kprobe(&q) && q.addr == p.addr);
		NEED(fn(27.0) > 2.99 && live_hits == before + 2);
		NEED(!dlclose(lib));
		if (!dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD)) {
			NEED(kprobe_gone(&p) && kprobe_gone(&q));
			NEED(enable_kprobe(&p) == -EINVAL);
			NEED(disable_kprobe(&p) == 0);
		}
		unregister_kprobe(&p);
		unregister_kprobe(&q);
		q.addr = NULL;
		q.flags = 0;
	}
	NEED(register_kprobe(&q) == -ENOENT);
	NEED(live_hit());
}

/* /proc/self is nearly empty then. */
static void *alone(void *arg)
{
	struct kprobe p = { .symbol_name = "live_target",
			    .pre_handler = live_pre };
	struct kprobe q = { .symbol_name = "libc:strverscmp",
			    .pre_handler = live_pre };
	int (*volatile compare)(const char *, const char *) = strverscmp;
	char byte;
	long before;
	int fd, err;

	(void)arg;
	do {
		usleep(1000);
		fd = open("/proc/self/maps", O_RDONLY);
		err = fd < 0 || read(fd, &byte, 1) <= 0;
		close(fd);
	} while (!err);
	unregister_kprobe(&live_probe);
	if (register_kprobe(&p) || !live_hit())
		_exit(2);
	before = live_hits;
	/* Not by q's address: that does not say which instruction set it is of. */
	if (register_kprobe(&q) || compare("a", "b") >= 0 || live_hits != before + 1)
		_exit(3);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
	_exit(0);
}

static void the_first_thread_ends(void)
{
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, alone, NULL));
	pthread_exit(NULL);
}

int main(void)
{
	live_arm();
	child_case("the first thread has ended", the_first_thread_ends);
	child_case("fork: the child is probed", by_fork);
	EXPECT("fork: the parent still is", live_hit());
	EXPECT("raw fork", !raw_fork(child_is_probed));
	EXPECT("raw fork: the parent still is", live_hit());
	child_case("fork in a child", nested);
	child_case("vfork and exec", vforks);
	child_case("a thread whose vfork child was the first to return",
		   vfork_comes_first);
	child_case("a vfork child while a thread is in the function",
		   vfork_meanwhile);
	fork_under_load();
	child_case("fork while a module is loaded, and unloaded",
		   fork_while_loading);
	child_case("a module's init function ends the process", exit_in_init);
	child_case("a module's exit function does", exit_in_exit);
	child_case("1,000 threads", many_threads);
	child_case("K-MOD-01 K-MOD-03 an unloaded object's probes are gone",
		   unloaded);
	return live_failed;
}
