// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * debugreg.c - debug registers in a kernel.
 *
 * Owns: the kernel's hardware breakpoints for watched words.  So the registers are shared with
 * perf and debuggers.  The kernel calls us in the trap, like an NMI, with debug registers off:
 * accesses by handlers are not reported.  If the trap comes before the access, the machine's
 * files have it made (kp_access_trapped).
 *
 * Invariant: each watched word has one on each online processor, also on processors that come
 * online later, unless the log says otherwise.  For kernels without any: no_debugreg.c.
 *
 * Locks: the registry lock; then the kernel's lock of CPU hotplug, then words_lock.  A processor
 * that comes or goes is reported with the second one held, and takes only the last one.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "local.h"

#ifdef CONFIG_HAVE_HW_BREAKPOINT

#include "no_pages.h"

KP_TRAP_PATH static void on_access(struct perf_event *event,
				   struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	(void)data;
	if (!user_mode(regs))
		kp_access_trapped(regs, event->attr.bp_addr);
}

static int failed(long err, const char **reason)
{
	switch (-err) {
	case ENOSPC:
		*reason = "all debug registers of a processor are in use";
		return -ENOSPC;
	case ENOMEM:
		*reason = "out of memory";
		return -ENOMEM;
	}
	*reason = "the kernel keeps debug registers off this memory";
	return -EPERM;
}

/* ---- one word, on all processors ------------------------------------------- */

struct word {
	struct list_head link;
	struct perf_event_attr attr;
	struct perf_event *events[];	/* of each processor; NULL: none */
};

static LIST_HEAD(words);
static DEFINE_MUTEX(words_lock);	/* guards it, and the events of what is in it */

static long set_on(struct word *word, unsigned int cpu)
{
	struct perf_event *event =
		kp_kernel_create_counter(&word->attr, cpu, NULL, on_access, NULL);

	if (IS_ERR(event))
		return PTR_ERR(event);
	word->events[cpu] = event;
	return 0;
}

static void clear_on(struct word *word, unsigned int cpu)
{
	if (word->events[cpu])
		kp_kernel_release_counter(word->events[cpu]);
	word->events[cpu] = NULL;
}

/* Out of the list, or not yet in it. */
static void drop(struct word *word)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		clear_on(word, cpu);
	kvfree(word);
}

static struct word *make(const struct kp_watch_word *wanted)
{
	struct word *word = kvzalloc(struct_size(word, events, nr_cpu_ids), GFP_KERNEL);

	if (!word)
		return NULL;
	hw_breakpoint_init(&word->attr);
	word->attr.bp_addr = wanted->addr;
	word->attr.bp_len = wanted->len;
	word->attr.bp_type = wanted->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	return word;
}

/* No processor comes or goes meanwhile. */
static long set_word(const struct kp_watch_word *wanted, void **out)
{
	struct word *word = make(wanted);
	unsigned int cpu;
	long err = word ? 0 : -ENOMEM;

	if (err)
		return err;
	for_each_online_cpu(cpu) {
		err = set_on(word, cpu);
		if (err) {
			drop(word);
			return err;
		}
	}
	list_add(&word->link, &words);
	*out = word;
	return 0;
}

/* words[0..i) are watched. */
static void undo(struct kp_watch_set *set, unsigned int i)
{
	struct word *word;

	while (i--) {
		word = set->host[i];
		list_del(&word->link);
		drop(word);
	}
}

/* ---- processors that come and go ------------------------------------------- */

static enum cpuhp_state state;		/* 0: we are not told */

/* A debugger may have its registers already. */
static int on_online(unsigned int cpu)
{
	struct word *word;
	long err;

	mutex_lock(&words_lock);
	list_for_each_entry(word, &words, link) {
		err = set_on(word, cpu);
		if (err)
			pr_warn("kprobes: processor %u has no debug register for %px (error %ld): what it does there is not told\n",
				cpu, (void *)(unsigned long)word->attr.bp_addr, err);
	}
	mutex_unlock(&words_lock);
	return 0;
}

/* What it has does not come back with it. */
static int on_offline(unsigned int cpu)
{
	struct word *word;

	mutex_lock(&words_lock);
	list_for_each_entry(word, &words, link)
		clear_on(word, cpu);
	mutex_unlock(&words_lock);
	return 0;
}

void kp_debugreg_start(void)
{
	int err;

	kp_access_start();
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kprobes:watch",
					on_online, on_offline);

	if (err < 0)
		pr_warn("kprobes: watch probes do not see processors that come later: error %d\n",
			err);
	else
		state = err;
}

void kp_debugreg_stop(void)
{
	if (state)
		cpuhp_remove_state_nocalls(state);
	kp_access_stop();
}

/* ---- duties ---------------------------------------------------------------- */

int kp_host_watch(struct kp_watch_set *set, const char **reason)
{
	unsigned int i;
	long err = 0;

	*reason = kp_access_refused();
	if (*reason)
		return -EOPNOTSUPP;
	if (!kp_hidden.create_counter || !kp_hidden.release_counter) {
		*reason = "this kernel has no hardware breakpoints";
		return -EOPNOTSUPP;
	}
	cpus_read_lock();
	mutex_lock(&words_lock);
	for (i = 0; i < set->nr && !err; i++)
		err = set_word(&set->words[i], &set->host[i]);
	if (err)
		undo(set, i - 1);
	mutex_unlock(&words_lock);
	cpus_read_unlock();
	return err ? failed(err, reason) : 0;
}

void kp_host_unwatch(struct kp_watch_set *set)
{
	mutex_lock(&words_lock);
	undo(set, set->nr);
	mutex_unlock(&words_lock);
}

KP_TRAP_PATH bool kp_host_is_task(int task)
{
	return task > 0 ? current->pid == task : current->tgid == -(long)task;
}

const char *kp_host_watch_refused(uintptr_t addr, size_t len)
{
	if (addr < TASK_SIZE_MAX)
		return "not memory of the kernel's own";
	return within_module(addr, THIS_MODULE) ||
		       within_module(addr + len - 1, THIS_MODULE) ?
		       "part of the engine" : NULL;
}

#endif
