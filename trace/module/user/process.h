/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * process.h - duties that are more than a line, in a process.
 *
 * Owns: the prototypes of process.c and unwind.c.  Any context.
 */
#ifndef KT_PROCESS_H
#define KT_PROCESS_H

#include "vm.h"

/*
 * process.c: the process's number as it sees it, and as who asks does: another one in
 * another namespace.  0: not known.
 */
extern u32 kt_process_inner, kt_process_outer;

/*
 * process.c: from the thread pointer to where the kernel writes the processor's number for the
 * C library; 0: it does so for none.
 */
extern long kt_process_rseq __attribute__((visibility("hidden")));
void kt_process_start(void);			/* before the first hit */

/* process.c: as kt_host_string(), kt_host_uid(), kt_host_gid(). */
int kt_process_string(char *dst, u64 addr, u32 len);
u32 kt_process_uid(void);
u32 kt_process_gid(void);

/* unwind.c: as kt_host_stack(); the tables (unwind.h), before the first hit. */
u32 kt_process_stack(const struct kt_hit *hit, u64 *frames, u32 room);
void kt_process_tables(const void *tables, u64 len);

#endif
