/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * follow.h - stacks by frame pointers.
 *
 * Owns: the prototypes of follow.c.
 */
#ifndef KT_FOLLOW_H
#define KT_FOLLOW_H

#include <linux/types.h>

struct kt_record_of_frame {
	unsigned long fp, ip;
};

/* Is there one? */
bool kt_read_record(struct kt_record_of_frame *record, u64 fp, bool user);
/* The frames behind the nr that are there already; how many there are then. */
u32 kt_follow(u64 fp, u64 link, u64 *frames, u32 nr, u32 room, bool user);

#endif
