/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filters.c - threads that are given a seccomp filter after the probes are in:
 * whatever the engine does there, by breakpoint and by jump, at first hits and
 * later ones, in threads that are made later, and at exit, it does with the few
 * system calls that the program itself would make.  Each case runs in a child,
 * which a mistake kills.
 */
#include "live.h"

#include <kprobes/control.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
/* Last: its headers have other ideas of some types. */
#include <linux/filter.h>
#include <linux/seccomp.h>

static const int allowed[] = {
	SYS_read, SYS_write, SYS_nanosleep, SYS_clock_nanosleep, SYS_futex,
	SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigprocmask,
	SYS_madvise, SYS_munmap, SYS_mmap, SYS_mprotect, SYS_restart_syscall,
	/* A thread's making. */
	SYS_clone, 435, SYS_set_robust_list, SYS_rseq, SYS_brk, SYS_wait4,
#ifdef SYS_mmap2
	SYS_mmap2,
#endif
};
#define ALLOWED_NR (sizeof(allowed) / sizeof(allowed[0]))

/* All else kills the process. */
static struct sock_fprog *make_filter(void)
{
	static struct sock_filter code[ALLOWED_NR + 3];
	static struct sock_fprog prog = { .filter = code };
	size_t i, n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr));
	for (i = 0; i < ALLOWED_NR; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)allowed[i],
			(unsigned char)(ALLOWED_NR - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						 SECCOMP_RET_KILL_PROCESS);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						 SECCOMP_RET_ALLOW);
	prog.len = (unsigned short)n;
	return &prog;
}

static void install(unsigned int flags)
{
	struct sock_fprog *prog = make_filter();

	NEED(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (flags & 0x100)
		NEED(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, prog));
	else
		NEED(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, prog));
}
#define BY_PRCTL 0x100u

/* ---- handlers that ask for things ------------------------------------------------ */

static long hits, returned;
static volatile int64_t first_time, last_time;

static int asks(struct kprobe *p, struct pt_regs *regs)
{
	(void)p;
	(void)regs;
	last_time = ktime_get();
	if (!first_time)
		first_time = last_time;
	__atomic_fetch_add(&hits, current->pid > 0 && current->comm[0], __ATOMIC_RELAXED);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	(void)ri;
	__atomic_fetch_add(&returned, regs_return_value(regs) == 5,
			   __ATOMIC_RELAXED);
	return 0;
}

static struct kprobe probe;
static struct kretprobe rp;

static void arm(void)
{
	kprobes_set_optimization(live_jumps);
	probe = (struct kprobe){ .pre_handler = asks,
		.addr = (kprobe_opcode_t *)(unsigned long)live_target };
	rp = (struct kretprobe){ .handler = on_return, .maxactive = 200,
		.kp.addr = (kprobe_opcode_t *)(unsigned long)live_target };
	NEED(!register_kprobe(&probe) && !register_kretprobe(&rp));
	kprobes_flush();
}

static void *hit_often(void *arg)
{
	long i;

	for (i = 0; i < 100; i++)
		if (live_target(4) != 5)
			return NULL;
	return arg;
}

static void *filtered_thread(void *arg)
{
	install(0);
	return hit_often(arg);
}

static void in_thread(void)
{
	pthread_t threads[4];
	void *end;
	int i;

	arm();
	for (i = 0; i < 4; i++)
		NEED(!pthread_create(&threads[i], NULL, filtered_thread, &hits));
	for (i = 0; i < 4; i++)
		NEED(!pthread_join(threads[i], &end) && end);
	NEED(hit_often(&hits));
	NEED(hits == 500 && returned == 500);
}

/* More than there are contexts at the start; none was seen before its filter. */
static void *makes_threads(void *arg)
{
	pthread_t threads[100];
	void *end;
	int i;

	install(0);
	for (i = 0; i < 100; i++)
		NEED(!pthread_create(&threads[i], NULL, hit_often, arg));
	for (i = 0; i < 100; i++)
		NEED(!pthread_join(threads[i], &end) && end);
	return arg;
}

static void in_threads_of_thread(void)
{
	pthread_t thread;
	void *end;

	arm();
	NEED(!pthread_create(&thread, NULL, makes_threads, &hits));
	NEED(!pthread_join(thread, &end) && end);
	NEED(hits == 10000 && returned == 10000);
}

static void ends(unsigned int flags)
{
	struct timespec ts = { 0, 20000000 };
	int64_t before;

	arm();
	install(flags);
	NEED(hit_often(&hits) && hits == 100);
	/* Time goes on: a fifth of a second's tenth, on whatever clock. */
	before = last_time;
	nanosleep(&ts, NULL);
	NEED(hit_often(&hits) && last_time - before >= 19000000 &&
	     last_time - before < 60000000000ll);
	exit(0);
}

static void first_thread_ends(void)
{
	ends(0);
}

static void all_threads_end(void)
{
	ends(SECCOMP_FILTER_FLAG_TSYNC);
}

static void by_prctl_ends(void)
{
	ends(BY_PRCTL);
}

static const struct live_case cases[] = {
	{ "filter_of_a_thread", in_thread },
	{ "filter_of_threads_to_come", in_threads_of_thread },
	{ "filter_of_the_first_thread_and_exit", first_thread_ends },
	{ "filter_of_all_threads_and_exit", all_threads_end },
	{ "filter_by_prctl_and_exit", by_prctl_ends },
};

int main(void)
{
	live_both(cases, sizeof(cases) / sizeof(cases[0]));
	return live_failed;
}
