/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arrivals.h - probes in objects that are opened while a program is at work.
 *
 * Owns: the prototypes of arrivals.c, and of what it asks of trace.c.
 */
#ifndef KT_ARRIVALS_H
#define KT_ARRIVALS_H

#include "share.h"

struct set;

/* Before the first probe: a copy is taken. */
void kt_later_take(struct kt_share *share, const struct kt_later *from);
/* Is the address in an object that is not there yet?  In one that is known again? */
bool kt_later_awaits(u64 addr);
bool kt_later_knows(u64 addr);
/* The probes of what is there are set; all are to be taken off: no object comes any more. */
void kt_later_start(void);
void kt_later_stop(void);
void kt_later_each(void (*fn)(const struct set *set));
/* Any context: an address in an object that was opened later, as the reader knows it. */
u64 kt_later_home(u64 addr);

/* trace.c: set the probes of [from, from + len), which is now moved bytes on; NULL: no memory. */
struct set *kt_later_set(u64 from, u64 len, u64 moved);
void kt_later_unset(struct set *set);

#endif
