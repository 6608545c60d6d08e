/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ids.c - the process that this memory is of, as it can be told at any time.
 *
 * Owns: its number; whether some thread has a seccomp filter, so that a question to the kernel
 * may kill; and where errno is.  Who the thread is, its own memory says (thread.c).
 *
 *   fork           the child is noticed by a page that the kernel clears in it (fork.c)
 *   vfork          the child is another process on this memory, which stays its parent's
 *   a filter       ids are read where the C library and thread.c have them
 *
 * Locks: none; all is written once, at the start, or by the only thread of a forked child.
 */
#include "process/ids.h"
#include "atomic.h"
#include "face.h"
#include "machine.h"

static int *alive;		/* 1; cleared by the kernel in a forked child */
static void (*untold)(void);	/* fork.c: in a child that nobody told us of */
static int pid;			/* of the process whose memory this is */
static int filtered;		/* atomic; some thread has a filter, from now on */
long kp_user_errno_offset;

/* ---- the process ------------------------------------------------------------ */

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

void kp_user_fork_check(void)
{
	if (alive && !*alive && untold)
		untold();
}

KP_TRAP_PATH bool kp_user_ids_forked(void)
{
	return alive && !*alive;
}

void kp_user_ids_on_fork(void (*fn)(void))
{
	untold = fn;
}

void kp_user_ids_fork(void)
{
	if (alive)
		*alive = 1;
	pid = sys_getpid();
}

KP_TRAP_PATH bool kp_user_filtered(void)
{
	return kp_load_relaxed(&filtered);
}

KP_TRAP_PATH void kp_user_ids_filter(void)
{
	kp_store_relaxed(&filtered, 1);
}

/* ---- the start ---------------------------------------------------------------- */

static void know_process(void)
{
	long page = 4096;

	if (pid)
		return;
	pid = sys_getpid();
	alive = sys_mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (alive && sys3(SYS_madvise, alive, page, MADV_WIPEONFORK)) {
		sys3(SYS_munmap, alive, page, 0);
		alive = NULL;
	}
	if (alive)
		*alive = 1;
}

void kp_user_ids_init(void)
{
	know_process();
	kp_user_errno_offset = kp_face_errno_offset();
}
