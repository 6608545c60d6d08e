/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* run.c - owns the counters, the shared handlers and the order of the topics. */
#include "harness.h"

int t_checks, t_failed;
struct t_counts t_counts;
long t_data[8];

int t_pre(struct kprobe *p, struct pt_regs *regs)
{
	t_counts.pre++;
	t_counts.who = p;
	t_counts.pre_regs = *regs;
	return 0;
}

void t_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	t_counts.post++;
	t_counts.who = p;
	t_counts.post_regs = *regs;
	t_counts.flags |= flags;
}

void t_run_all(void)
{
	t_api();
	t_registration();
	t_batches();
	t_hits();
	t_reentry();
	t_faults();
	t_switching();
	t_blacklist();
	t_instructions();
	t_context();
	t_intactness();
	t_slots();
	t_lists();
	t_files();
#ifndef __KERNEL__
	t_host();
#endif
	t_bad_input();
	t_invariants();
	t_returns();
	t_jprobes();
	t_optimized();
	t_watching();
	t_coding();
	t_print("done %d %d", t_checks, t_failed);
}
