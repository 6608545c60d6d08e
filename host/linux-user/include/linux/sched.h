/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * linux/sched.h - the current task, for probe modules in a process.
 *
 * Owns: the few fields of a task that handlers look at.  A task is a thread: pid
 *       is its thread id, tgid the process's.
 */
#ifndef KP_SHIM_LINUX_SCHED_H
#define KP_SHIM_LINUX_SCHED_H

#include <linux/types.h>

#define TASK_COMM_LEN 16

struct mm_struct;

struct task_struct {
	int pid, tgid;
	char comm[TASK_COMM_LEN];	/* as of the last use of current */
	struct mm_struct *mm;		/* never NULL: only a mark */
};

/* The calling thread's; any context. */
struct task_struct *kp_current(void);

#define current		kp_current()
#define get_current()	kp_current()

static inline int task_pid_nr(const struct task_struct *task)
{
	return task->pid;
}

static inline int task_tgid_nr(const struct task_struct *task)
{
	return task->tgid;
}

#endif
