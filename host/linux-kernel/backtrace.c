// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backtrace.c - the kernel's stack traces through hooked calls.
 *
 * Owns: when the intercepts are armed that make traces show real return addresses instead of
 * stubs (K-RET-44).  The processor decides which functions they are at (ARCH/backtrace.c).
 *
 * They cost a breakpoint for each frame of every trace, so they are armed only while calls may be
 * hooked.
 *
 * Locks: the registry lock.
 */
#include "local.h"

void kp_host_returns_hooked(bool on)
{
	unsigned int i;

	for (i = 0; i < kp_backtrace.nr; i++) {
		struct kp_intercept *intercept = &kp_backtrace.intercepts[i];

		if (!on)
			kp_intercept_disarm(intercept);
		else if (intercept->addr && kp_intercept_arm(intercept))
			pr_warn_once("kprobes: %s cannot be intercepted now: stack traces %s\n",
				     intercept->name, kp_backtrace.without);
	}
}

void kp_backtrace_start(void)
{
	unsigned int i;

	for (i = 0; i < kp_backtrace.nr; i++)
		if (kp_intercept_prepare(&kp_backtrace.intercepts[i]))
			pr_info("kprobes: %s cannot be intercepted: some stack traces will show the stubs of return probes\n",
				kp_backtrace.intercepts[i].name);
}
