// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * returns.c - the duties of return probes.
 *
 * Owns: whether a task has ended, the functions whose return address must not be replaced, and
 * growing the pools of instances outside of the trap path.
 *
 * Locks: none.  The kick has two steps: the trap path may raise an interrupt work, and that may
 * queue a work item, which may sleep.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "compat/task.h"
#include "local.h"

/*
 * Dead and off its CPU for ever, or its memory is somebody else's by now.  A
 * reaped task has lost its number before it has left its last functions, so
 * the number does not tell.
 */
KP_TRAP_PATH bool kp_host_task_gone(const struct kp_task *known)
{
	const struct task_struct *task = known->task;
	u64 start_time;
	unsigned int state;
	/* An int, or one byte of it. */
	__typeof__(((struct task_struct *)NULL)->on_cpu) on_cpu;

	if (copy_from_kernel_nofault(&start_time, &task->start_time,
				     sizeof(start_time)) ||
	    copy_from_kernel_nofault(&state, (const void *)&task->kp_task_state,
				     sizeof(state)) ||
	    copy_from_kernel_nofault(&on_cpu, &task->on_cpu, sizeof(on_cpu)))
		return true;
	/* It fits there but for the upper half, on a 32-bit machine. */
	return (unsigned long)start_time != known->id || (state == TASK_DEAD && !on_cpu);
}

KP_TRAP_PATH bool kp_host_stacks_copied(void)
{
	return false;
}

/*
 * An interrupt has its own stack, but leaves its frame below the interrupted
 * code's stack pointer, where the address was that is being returned to.
 */
KP_TRAP_PATH enum kp_stack kp_host_stack(uintptr_t a, uintptr_t b)
{
	uintptr_t bottom = (uintptr_t)task_stack_page(current);

	return a - bottom < THREAD_SIZE && b - bottom < THREAD_SIZE
		       ? KP_STACK_SAME
		       : KP_STACK_OTHER;
}

int kp_host_return_refused(uintptr_t addr, const char **why)
{
	static char name[KP_SYMBOL_MAX], owner[KP_SYMBOL_MAX];

	*why = kp_selftest_returns_off();
	if (*why)
		return -EOPNOTSUPP;
	if (kp_host_describe(addr, name, sizeof(name), owner, sizeof(owner)))
		return 0;
	if (kp_switches_stack(name))
		*why = "the function returns on another stack than it was called on";
	/* What a compiler moved away from the rest of its function. */
	else if (strstr(name, ".cold"))
		*why = "a part of a function that is jumped to, not called";
	return *why ? -EINVAL : 0;
}

/* What reads its return address there, does so for traces and profiles. */
bool kp_host_minds_caller(uintptr_t to, uintptr_t word)
{
	return false;
}

unsigned int kp_host_callers(uintptr_t addr)
{
	return 0;
}

int kp_host_jprobe_refused(uintptr_t addr, const char **why)
{
	*why = kp_selftest_jprobes_off();
	return *why ? -EOPNOTSUPP : 0;
}

/* The kernel's unwind tables do not cover any. */
bool kp_host_return_stubs(struct kp_stubs *out)
{
	return false;
}

KP_TRAP_PATH void *kp_host_alloc_now(size_t len)
{
	return NULL;
}

void kp_host_free_now(void *mem, size_t len)
{
}

static void on_work(struct work_struct *work)
{
	kp_core_on_kick();
}
static DECLARE_WORK(work, on_work);

static void on_interrupt(struct irq_work *unused)
{
	schedule_work(&work);
}
static DEFINE_IRQ_WORK(interrupt, on_interrupt);

KP_TRAP_PATH void kp_host_kick(void)
{
	irq_work_queue(&interrupt);
}

/* No probe is left that could kick. */
void kp_returns_stop(void)
{
	irq_work_sync(&interrupt);
	cancel_work_sync(&work);
}

unsigned int kp_host_cpus(void)
{
	return num_possible_cpus();
}
