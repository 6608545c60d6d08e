// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * no_debugreg.c - for a kernel without debug registers on this processor.
 *
 * Owns: that answer; watch probes are refused then.
 */
#include "local.h"

#ifndef CONFIG_HAVE_HW_BREAKPOINT

#include "no_pages.h"

void kp_debugreg_start(void)
{
}

void kp_debugreg_stop(void)
{
}

int kp_host_watch(struct kp_watch_set *set, const char **reason)
{
	*reason = "this kernel has no hardware breakpoints";
	return -EOPNOTSUPP;
}

void kp_host_unwatch(struct kp_watch_set *set)
{
}

KP_TRAP_PATH bool kp_host_is_task(int task)
{
	return task > 0 ? current->pid == task : current->tgid == -(long)task;
}

const char *kp_host_watch_refused(uintptr_t addr, size_t len)
{
	return addr < TASK_SIZE ? "not memory of the kernel's own" : NULL;
}

#endif
