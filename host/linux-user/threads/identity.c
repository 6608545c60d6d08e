/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * identity.c - who executes, as probe modules and return probes see it.
 *
 * Owns: a thread's identity and name, the current task of modules; the serial number that
 * tells it from a thread that had the same memory; the stamp of its context (task.h).
 *
 * Trap path.
 */
#include "threads/identity.h"
#include "atomic.h"
#include "host.h"
#include "machine.h"
#include "task.h"
#include "thread.h"
#include "freestanding/copy.h"
#include "process/ids.h"
#include "threads/contexts.h"
#include "threads/thread_stack.h"

#include <linux/prctl.h>

#include <kprobes/process.h>

/*
 * A thread is its task (thread.h) and a serial number that it
 * draws when it is first asked for.  A thread that takes over the memory of
 * one that ended finds zeroes there and draws a new one.
 */
static unsigned long last_serial;

/* With the thread's first call; a vfork child's is its parent's. */
KP_TRAP_PATH static void first(struct kp_shim_identity *own)
{
	own->stack_len = 0;
	kp_user_thread_stack(kp_user_pointer(), &own->stack,
			     &own->stack_len);
	own->serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED);
}

static char address_space;		/* what every task's mm points at */

/* A vfork child writes into its parent's, which then sets it again. */
KP_TRAP_PATH static void identify(void)
{
	struct kp_shim_identity *own = &kp_user_thread()->own;

	kp_user_task_forget();
	own->tgid = kp_user_filtered() ? kp_user_memory_pid() : sys_getpid();
	own->mm = &address_space;
	/* A thread that works with another one's pointer, to attach, has that one's memory. */
	own->pid = kp_user_in_vfork_child() ? kp_user_gettid() : kp_user_pointer_owner();
	if (!own->serial)
		first(own);
	own->tid = kp_user_in_vfork_child() ? 0 : own->pid;
}

KP_TRAP_PATH struct kp_shim_identity *kp_shim_identity(void)
{
	struct kp_shim_identity *own = &kp_user_thread()->own;

	if (__builtin_expect(!own->tid, 0))
		identify();
	return own;
}

void kp_shim_fork(void)
{
	if (kp_user_thread()->own.tid)
		identify();
}

static char known_name[16];		/* of who has installed a filter first */

/* A name may change at any time, so it is read at every use. */
KP_TRAP_PATH struct kp_shim_identity *kp_shim_current(void)
{
	struct kp_shim_identity *task = kp_shim_identity();

	/* A filter may kill for it: then it is what it was, here or in another. */
	if (!kp_user_filtered())
		sys3(SYS_prctl, PR_GET_NAME, task->comm, 0);
	else if (!task->comm[0])
		memcpy(task->comm, known_name, sizeof(known_name));
	return task;
}

KP_TRAP_PATH void kp_process_name(char name[16])
{
	struct kp_shim_identity *task = kp_shim_identity();
	uint64_t now = kp_ticks();

	if (now - task->named > KP_TICKS_10MS) {
		kp_shim_current();
		task->named = now;
	}
	memcpy(name, task->comm, sizeof(task->comm));
}

KP_TRAP_PATH unsigned long long kp_process_ids(void)
{
	const struct kp_shim_identity *task = kp_shim_identity();

	return (unsigned long long)(unsigned int)task->tgid << 32 |
	       (unsigned int)task->pid;
}

KP_TRAP_PATH void kp_shim_know_name(void)
{
	struct kp_shim_identity *task = kp_shim_current();

	if (!known_name[0])
		memcpy(known_name, task->comm, sizeof(known_name));
}

/*
 * A stamp stands for a thread and the stretch of its stack in its room, all of
 * which is bound or none.  Zero as soon as either changes: it is stored before what
 * it stands for is looked at, so that a change in a signal's handler is not lost.
 */
static unsigned long last_stamp;

KP_TRAP_PATH void kp_user_task_know(void)
{
	const struct kp_shim_identity *own = kp_shim_identity();
	const struct kp_user_room *room = &kp_user_thread()->room;
	uintptr_t low, high;

	if (!own->tid || !room->context)
		return;
	kp_store_relaxed(&room->context->stamp,
			 __atomic_add_fetch(&last_stamp, 1, __ATOMIC_RELAXED));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	low = room->from - own->stack;
	high = low + room->len;
	/* Within the thread's own, or behind it or before; not around it. */
	if ((low < own->stack_len) != (high < own->stack_len) || high < low)
		kp_user_task_forget();
}

KP_TRAP_PATH bool kp_host_task_gone(const struct kp_task *task)
{
	struct kp_shim_identity now;

	if (task->task == kp_shim_identity())
		return task->id != kp_shim_identity()->serial;
	/* Its memory goes, or is given to a thread with another number. */
	if (kp_user_copy(&now, task->task, sizeof(now)) ||
	    now.serial != task->id)
		return true;
	return now.tid && kp_user_thread_over(now.tid);
}
