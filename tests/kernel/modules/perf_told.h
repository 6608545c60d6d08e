/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf_told.h - on either mode of x86, does the machine report atomics to who watches reads, too?
 *
 * Owns: asking the kernel's own perf, with nothing of ours.  QEMU does not, where each
 * processor has a thread.
 */
#ifndef KP_TEST_PERF_TOLD_H
#define KP_TEST_PERF_TOLD_H

#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

/* A kernel may have dropped what no module of its own uses. */
typeof(register_wide_hw_breakpoint) register_wide_hw_breakpoint __weak;
typeof(unregister_wide_hw_breakpoint) unregister_wide_hw_breakpoint __weak;

static atomic_t perf_reports;

static void on_perf_report(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	atomic_inc(&perf_reports);
}

/* How many of the accesses that change() makes to @word perf is told; many, if it cannot be asked. */
static int perf_is_told(long *word, void (*change)(void))
{
	struct perf_event * __percpu *events;
	struct perf_event_attr attr;

	if (!register_wide_hw_breakpoint || !unregister_wide_hw_breakpoint)
		return INT_MAX;
	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)word;
	attr.bp_len = sizeof(long);
	attr.bp_type = HW_BREAKPOINT_RW;
	events = register_wide_hw_breakpoint(&attr, on_perf_report, NULL);
	/* A pointer of another address space, for compilers that know of these. */
	if (IS_ERR_VALUE((__force unsigned long)events))
		return 0;
	atomic_set(&perf_reports, 0);
	change();
	unregister_wide_hw_breakpoint(events);
	return atomic_read(&perf_reports);
}

#endif
