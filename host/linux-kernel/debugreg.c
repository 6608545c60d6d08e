// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * debugreg.c - debug registers in a kernel.
 *
 * Owns: the kernel's hardware breakpoints by which watched words are had, one on
 * each processor that is online; so they are shared with perf and debuggers.  The
 * kernel calls us in the trap, like an NMI, with debug registers off: what handlers
 * access is not reported.
 *
 * Locks: the registry lock.
 */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include "local.h"
#include "no_pages.h"

KP_TRAP_PATH static void on_access(struct perf_event *event,
				   struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	(void)data;
	/* The engine's own. */
	if (user_mode(regs) || within_module(regs->ip, THIS_MODULE))
		return;
	kp_context_trap_begin();
	kp_core_on_access(regs, event->attr.bp_addr);
	kp_context_trap_end();
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

/* words[0..i) are watched. */
static void undo(struct kp_watch_set *set, unsigned int i)
{
	while (i--)
		kp_hidden.unregister_breakpoint(set->host[i]);
}

int kp_host_watch(struct kp_watch_set *set, const char **reason)
{
	struct perf_event_attr attr;
	unsigned int i;
	long err;

	if (!kp_hidden.register_breakpoint || !kp_hidden.unregister_breakpoint) {
		*reason = "this kernel has no hardware breakpoints";
		return -EOPNOTSUPP;
	}
	for (i = 0; i < set->nr; i++) {
		hw_breakpoint_init(&attr);
		attr.bp_addr = set->words[i].addr;
		attr.bp_len = set->words[i].len;
		attr.bp_type = set->words[i].reads ? HW_BREAKPOINT_RW
						   : HW_BREAKPOINT_W;
		set->host[i] = kp_hidden.register_breakpoint(&attr, on_access,
							     NULL);
		if (!IS_ERR(set->host[i]))
			continue;
		err = PTR_ERR(set->host[i]);
		undo(set, i);
		return failed(err, reason);
	}
	return 0;
}

void kp_host_unwatch(struct kp_watch_set *set)
{
	undo(set, set->nr);
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
