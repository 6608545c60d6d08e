/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects.h - memory that a trace program names while it runs: watch(), unwatch().
 *
 * Owns: the prototypes of objects.c.
 */
#ifndef KT_OBJECTS_H
#define KT_OBJECTS_H

#include "program.h"

#include <kprobes/watch.h>

/*
 * Before the first hit; when hits count no more, as who frees will not be seen; and
 * after the last one.  handler: the watch probes', of the
 * type kind.  0, or -errno.
 */
struct kt_codes;

int kt_objects_start(wprobe_handler_t handler, const struct kt_codes *codes, u32 kind);
void kt_objects_leave(void);
void kt_objects_stop(void);

/*
 * In a handler: watch len bytes at addr; it waits until they are.  false: they are
 * not.  And no more.
 */
bool kt_objects_watch(u64 addr, u64 len);
void kt_objects_unwatch(u64 addr);

/* In the watch probes' handler: the object's address; 0: it is none any more. */
u64 kt_objects_of(const struct wprobe *wp);
/* After the stop: hits that were missed. */
u64 kt_objects_missed(void);

#endif
