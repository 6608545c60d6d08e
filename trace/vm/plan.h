/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plan.h - what a simple clause does.
 *
 * Owns: struct kt_plan: decisions by a hit's registers and the like, and at their ends nothing,
 * one addition to a map, or the machine.  plan.c makes them from a verified program; follow.c
 * executes them.
 */
#ifndef KT_PLAN_H
#define KT_PLAN_H

#include "program.h"

/* Where a number comes from: an argument in a register, KT_GET, or a constant. */
#define KT_FROM_ARGS	6u		/* those are */
#define KT_FROM_GET	16u		/* and enum kt_get */
#define KT_FROM_CONST	255u

struct kt_source {
	u8 from, how;			/* how: as EXT does */
	u64 number;			/* of a constant */
};

/* Is what comes from there, shifted so far to the left, from low on within span? */
struct kt_step {
	u8 from, shift;
	u8 yes, no;			/* the next step, or an end */
	u64 low, span;
};

#define KT_PLAN_STEPS	8
/* Ends. */
#define KT_PLAN_END	128u		/* nothing is done */
#define KT_PLAN_ADD	129u
#define KT_PLAN_RUN	130u		/* by the machine, from the beginning */

#define KT_PLAN_WORDS	2u		/* of a key, at most */

struct kt_addition {
	u8 map, words;
	bool counts;			/* by an argument, or without a key */
	struct kt_source key[KT_PLAN_WORDS], value;
};

/* From low on within span. */
struct kt_range {
	u64 low, span;
};

static inline bool kt_in_range(const struct kt_range *range, u64 value)
{
	return value - range->low <= range->span;
}

struct kt_plan {
	u32 first;			/* the clause's instructions */
	u8 entry;			/* the first step, or an end */
	u8 steps_nr;
	bool adds;			/* there is an addition */
	struct kt_step steps[KT_PLAN_STEPS];
	struct kt_addition add;
};

/* Clauses of a program that may have one. */
#define KT_PLANS	16

static inline u8 kt_step_next(const struct kt_step *step, u64 value)
{
	return (value << step->shift) - step->low <= step->span ? step->yes : step->no;
}

#endif
