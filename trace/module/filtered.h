/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filtered.h - predicates that are asked before a handler is called.
 *
 * Owns: struct kt_predicate, which stands before the struct kprobe that it is of.
 */
#ifndef KT_FILTERED_H
#define KT_FILTERED_H

#include <linux/kprobes.h>
#include "filter.h"

/* Written once before the probe is registered. */
struct kt_predicate {
	const struct kt_plan *plan;
	struct kt_range wanted;		/* of an argument, where that decides */
};

/* The plan is known: kp gets its filter, if it can have one. */
void kt_filter_set(struct kt_predicate *asks, struct kprobe *kp);

#endif
