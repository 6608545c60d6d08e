/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ids.c - who executes: thread and process, as they can be told at any time.
 *
 * Owns: the process that this memory is of; whether some thread has a seccomp filter, so that
 * a question to the kernel may kill; and what is found at a thread pointer: the thread's id and
 * errno.
 *
 *   fork           the child is noticed by a page that the kernel clears in it (fork.c)
 *   vfork          the child is another process on this memory, which stays its parent's
 *   a filter       ids are read where the C library and this file have them
 *
 * Locks: none; all is written once, at the start, or by the only thread of a forked child.
 */
#include "process/ids.h"
#include "atomic.h"
#include "face.h"
#include "machine.h"
#include "thread.h"
#include "freestanding/copy.h"

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

/* ---- the thread -------------------------------------------------------------- */

#ifdef KP_THREAD_TABLE
/* The table's threads are known by their numbers. */
KP_TRAP_PATH int kp_user_pointer_owner(void)
{
	int real = kp_thread_entry_of(kp_user_thread())->real;

	return real > 0 ? real : sys_gettid();
}

KP_TRAP_PATH int kp_user_gettid(void)
{
	return kp_user_filtered() ? kp_user_pointer_owner() : sys_gettid();
}

static void find_tid(void)
{
}
#else
#define TID_UNKNOWN (-1l)	/* no int stands there */
static long tid_offset = TID_UNKNOWN;	/* from the thread pointer; written once */

KP_TRAP_PATH static int tid_at(long offset)
{
	int tid;

	return kp_user_copy(&tid, (char *)__builtin_thread_pointer() + offset,
			    sizeof(tid)) ? 0 : tid;
}

/* As the C library keeps it; 0: nothing is there. */
KP_TRAP_PATH static int pointer_tid(void)
{
	return tid_at(tid_offset == TID_UNKNOWN ? KP_TCB_TID : tid_offset);
}

KP_TRAP_PATH int kp_user_gettid(void)
{
	if (kp_user_filtered() && tid_offset != TID_UNKNOWN)
		return *(int *)((char *)__builtin_thread_pointer() + tid_offset);
	return sys_gettid();
}

/* Whose thread pointer it is.  After a raw fork it says who that is in the parent. */
KP_TRAP_PATH int kp_user_pointer_owner(void)
{
	int tid = kp_user_gettid(), said = pointer_tid();

	return said > 0 && said != tid && !kp_user_thread_over(said) ? said : tid;
}

/* Where the C library keeps it: looked for once, while the kernel may be asked. */
static void find_tid(void)
{
	int tid = sys_gettid();
	long at;

	if (tid_offset != TID_UNKNOWN)
		return;
	tid_offset = KP_TCB_TID;
	for (at = KP_TCB_FIRST; tid_at(tid_offset) != tid &&
				at < KP_TCB_FIRST + KP_TCB_LEN; at += 4)
		tid_offset = at;
	if (tid_at(tid_offset) != tid)
		tid_offset = TID_UNKNOWN;
}
#endif

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
	find_tid();
	kp_user_errno_offset = kp_face_errno_offset();
}
