// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * thread.c - what each thread has of its own, in a library that is linked.
 *
 * Owns: the thread-local variable, which the assembly finds by its name (env_asm.h), and where
 * the C library has the thread's number.
 */
#include "thread.h"
#include "machine.h"
#include "freestanding/copy.h"
#include "process/ids.h"

#ifndef KP_THREAD_TABLE

__thread struct kp_user_thread kp_user_thread_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

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

/* The thread that the thread pointer belongs to: after a raw fork, one of the parent's. */
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

void kp_user_thread_init(const struct kp_user_thread_steps *steps)
{
	(void)steps;			/* the thread pointer says it all */
	find_tid();
}
#endif
