/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * follow.h - stacks by frame pointers.
 *
 * Owns: the prototypes of follow.c, and what tells a function that calls nothing.
 */
#ifndef KT_FOLLOW_H
#define KT_FOLLOW_H

#include <linux/types.h>

struct kt_record_of_frame {
	unsigned long fp, ip;
};

/*
 * Of a function that calls nothing, where such ones save the frame pointer alone and others
 * where they return to behind it: then second is a place on the stack, and no code.
 */
#define KT_FOLLOW_STACK (1ull << 20)

static inline bool kt_is_saved_alone(u64 fp, u64 second)
{
	return second - fp < KT_FOLLOW_STACK && !(second & (sizeof(long) - 1));
}

/* Is there one? */
bool kt_read_record(struct kt_record_of_frame *record, u64 fp, bool user);
/* The frames behind the nr that are there already; how many there are then. */
u32 kt_follow(u64 fp, u64 link, u64 *frames, u32 nr, u32 room, bool user);

#endif
