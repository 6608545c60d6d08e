// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * filtered.c - the filters (kprobe.filter) of probes that have a predicate.
 *
 * Owns: which a probe gets.  They are to be lean: nothing is called, and the registers
 * are read where they are.  Most predicates compare one argument; that takes half of
 * what the plan's steps take.
 *
 * No locks; any context of a handler.
 */
#include <linux/kernel.h>
#include "filtered.h"

static const struct kt_predicate *asked(const struct kprobe *p)
{
	return (const struct kt_predicate *)(const void *)p - 1;
}

static int wants_any(struct kprobe *p, struct pt_regs *regs)
{
	return kt_filter(asked(p)->plan, regs);
}
NOKPROBE_SYMBOL(wants_any);

static int wants_first(struct kprobe *p, struct pt_regs *regs)
{
	return kt_in_range(&asked(p)->wanted, kt_machine_plain_arg(regs, 0));
}
NOKPROBE_SYMBOL(wants_first);

static int wants_second(struct kprobe *p, struct pt_regs *regs)
{
	return kt_in_range(&asked(p)->wanted, kt_machine_plain_arg(regs, 1));
}
NOKPROBE_SYMBOL(wants_second);

static int wants_third(struct kprobe *p, struct pt_regs *regs)
{
	return kt_in_range(&asked(p)->wanted, kt_machine_plain_arg(regs, 2));
}
NOKPROBE_SYMBOL(wants_third);

static int wants_fourth(struct kprobe *p, struct pt_regs *regs)
{
	return kt_in_range(&asked(p)->wanted, kt_machine_plain_arg(regs, 3));
}
NOKPROBE_SYMBOL(wants_fourth);

/* What the plan's first step asks for decides how. */
void kt_filter_set(struct kt_predicate *asks, struct kprobe *kp)
{
	static const kprobe_pre_handler_t filters[] = {
		wants_first, wants_second, wants_third, wants_fourth,
	};
	u32 number = asks->plan->steps[0].from;

	if (!kt_plan_filters(asks->plan))
		return;
	kp->filter = wants_any;
	if (kt_plan_range(asks->plan, &asks->wanted) && number < ARRAY_SIZE(filters))
		kp->filter = filters[number];
}
