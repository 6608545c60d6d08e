/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fork.c - the engine in a forked child.
 *
 * Owns: noticing a fork.  Breakpoints, handlers and tables are in the child as
 * they were; it needs a writer of text of its own, contexts of its single thread only, and free locks.
 *
 * fork() tells us by pthread_atfork.  A fork that does not (a raw system call)
 * is noticed at the next slow path by a page that the kernel clears in the
 * child.  vfork and posix_spawn share the memory, so the page stays as it is
 * and nothing is done: their children only exec or exit.
 */
#include "user.h"
#include "shim.h"

#include <pthread.h>

static int *alive;		/* 1; cleared by the kernel in a forked child */
static bool told;		/* prepare ran */
static int pid;			/* of the process whose memory this is */

static void child(void)
{
	bool waits = kp_user_defer_fork();

	if (alive)
		*alive = 1;
	pid = sys_getpid();
	kp_user_heap_fork();
	kp_user_own_fork();
	kp_user_writer_fork();
	kp_user_text_fork();
	kp_user_sink_fork();
	kp_user_context_fork();
	kp_user_attach_fork();
	kp_shim_fork();
	kp_shim_load_fork();
	kp_user_quiesce_init();
	kp_user_lock_fork_child(told);
	kp_user_dso_fork(told);
	kp_user_watch_fork();
	if (waits && !kp_user_lock_is_mine(KP_LOCK_REGISTRY))
		kp_core_on_deferred();
}

static void on_prepare(void)
{
	kp_user_lock_fork_prepare();
	told = true;
}

static void on_child(void)
{
	child();
}

void kp_user_fork_check(void)
{
	if (alive && !*alive) {
		told = false;
		child();
	}
}

KP_TRAP_PATH int kp_user_memory_pid(void)
{
	return pid;
}

/* Another process on this memory: what it sets for itself is not ours. */
KP_TRAP_PATH bool kp_user_in_vfork_child(void)
{
	/* Where a filter may kill for the question, a thread's context is there. */
	return alive && *alive && !kp_user_filtered() && sys_getpid() != pid;
}

/*
 * Is a thread of this memory's process over?  A vfork child, which is another
 * process and knows no thread of it, is told no.
 */
KP_TRAP_PATH bool kp_user_thread_over(int tid)
{
	return !kp_user_in_vfork_child() &&
	       sys3(SYS_tgkill, sys_getpid(), tid, 0) == -ESRCH;
}

void kp_user_fork_init(void)
{
	long page = 4096;

	pid = sys_getpid();
	alive = sys_mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (alive && sys3(SYS_madvise, alive, page, MADV_WIPEONFORK)) {
		sys3(SYS_munmap, alive, page, 0);
		alive = NULL;
	}
	if (alive)
		*alive = 1;
	pthread_atfork(on_prepare, kp_user_lock_fork_parent, on_child);
}
