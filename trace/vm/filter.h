/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filter.h - rejecting hits with hardly a register.
 *
 * Owns: kt_filter(), which is the whole filter of a probe.  It has to be lean: it calls nothing,
 * and has no more variables than there are call-clobbered registers.
 */
#ifndef KT_FILTER_H
#define KT_FILTER_H

#include "kt_host.h"

/* Of a plan that filters: is its end for this hit another than doing nothing? */
static inline __attribute__((__always_inline__)) bool
kt_filter(const struct kt_plan *plan, const struct pt_regs *regs)
{
	const struct kt_step *step;
	u32 at = 0;

	do {
		step = &plan->steps[at];
		at = kt_step_next(step, kt_host_lean_arg(regs, step->from));
	} while (at < KT_PLAN_STEPS);
	return at != KT_PLAN_END;
}

#endif
