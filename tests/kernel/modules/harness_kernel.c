// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * harness_kernel.c - the conformance suite's services in a kernel module.
 *
 * Owns: threads, memory and text access as harness.h promises them.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include "harness.h"
#include <kprobes/control.h>

const char t_module[] = KBUILD_MODNAME;
/* No ftrace site stands at its entry. */
const char t_foreign_symbol[] = T_FOREIGN_SYMBOL;
const char t_foreign_module[] = "kprobes";

static bool optimize = true;
module_param(optimize, bool, 0400);

void *t_alloc(unsigned long len)
{
	return kzalloc(len, GFP_KERNEL);
}

void t_free(void *mem)
{
	kfree(mem);
}

void t_sleep_ms(int ms)
{
	msleep(ms);
}

static unsigned int nth_cpu(int n)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);

	for (n %= num_online_cpus(); n > 0; n--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu;
}

struct start {
	atomic_t missing;		/* threads that have not come yet */
	struct completion all;		/* have */
};

struct worker {
	void (*fn)(void *arg);
	void *arg;
	struct start *start;
	struct completion done;
};

static void one_is_here(struct start *start)
{
	if (atomic_dec_and_test(&start->missing))
		complete_all(&start->all);
}

static int work(void *data)
{
	struct worker *worker = data;

	/*
	 * Only when all have a CPU: a handler that waits for another thread
	 * keeps its CPU, and whoever still has to start that thread may need it.
	 * Nor by a timer, which an idle CPU leaves to a busy one: to that of the handler.
	 */
	one_is_here(worker->start);
	wait_for_completion(&worker->start->all);
	worker->fn(worker->arg);
	complete(&worker->done);
	return 0;
}

void t_threads(int nr, void (*fn)(void *arg), void *arg)
{
	struct worker *workers = kcalloc(nr, sizeof(*workers), GFP_KERNEL);
	struct start start = { .missing = ATOMIC_INIT(nr) };
	struct task_struct *task;
	int i;

	if (!workers)
		return;
	init_completion(&start.all);
	for (i = 0; i < nr; i++) {
		workers[i].fn = fn;
		workers[i].arg = arg;
		workers[i].start = &start;
		init_completion(&workers[i].done);
		task = kthread_create(work, &workers[i], "kp-test");
		if (IS_ERR(task)) {
			one_is_here(&start);
			complete(&workers[i].done);
			continue;
		}
		kthread_bind(task, nth_cpu(i));
		wake_up_process(task);
	}
	for (i = 0; i < nr; i++)
		wait_for_completion(&workers[i].done);
	kfree(workers);
}

struct wanted {
	unsigned long addr;
	bool is_jump;
};

static void find_jump(void *arg, const char *line, size_t len)
{
	struct wanted *wanted = arg;

	if (simple_strtoul(line, NULL, 16) == wanted->addr &&
	    strnstr(line, "[OPTIMIZED]", len))
		wanted->is_jump = true;
}

/* A jump of the engine's counts as the breakpoint that it stands for. */
t_word t_text(const void *addr)
{
	struct wanted wanted = { (unsigned long)addr, false };

	kprobes_flush();
	kprobes_list(find_jump, &wanted);
	return wanted.is_jump ? T_BP : t_raw(addr);
}

t_word t_raw(const void *addr)
{
	t_word word = 0;

	copy_from_kernel_nofault(&word, addr, sizeof(word));
	return word;
}

bool t_preemption_off(void)
{
	return preempt_count();
}

void t_settle(void)
{
	kprobes_flush();
}

void t_breakpoints_only(int on)
{
	kprobes_set_optimization(!on && optimize);
}

/* A failed registration still says where a symbol is (K-REG-15). */
void *t_address_of(const char *name)
{
	struct kprobe p = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (!register_kprobe(&p))
		unregister_kprobe(&p);
	return p.addr;
}

void *t_blacklisted(void)
{
	return t_address_of("notify_die");
}

void *t_engine(void)
{
	return (void *)register_kprobe;
}

static int __init conformance_init(void)
{
	t_breakpoints_only(0);
	t_run_all();
	kprobes_set_optimization(true);
	return 0;
}

/* A kernel's code does not. */
int t_has_avx(void)
{
	return 0;
}

static void __exit conformance_exit(void)
{
}

module_init(conformance_init);
module_exit(conformance_exit);
MODULE_DESCRIPTION("Kprobes conformance suite");
MODULE_LICENSE("Dual BSD/GPL");
