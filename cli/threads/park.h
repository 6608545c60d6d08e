/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * park.h - where a program waits that has not begun.
 *
 * Owns: the prototypes of cli/ARCH/park.c: code of the command's in the new process, which takes
 * nothing of the program's and which no thread of it comes to by itself.  Whoever is there sleeps,
 * and looks now and then whether its holder lives; if not, the process ends, or begins.
 */
#ifndef KP_CLI_PARK_H
#define KP_CLI_PARK_H

#include "tracee.h"

bool park_is_known(void);		/* on this processor */
/*
 * Where it is; 0: there is none here, or no room.  holder: as the process knows its number.
 * begin: where it begins without that; 0: it ends.
 */
uint64_t park_make(const struct remote *remote, pid_t holder, uint64_t begin);
void park_unmake(const struct remote *remote, uint64_t park);	/* nobody is there any more */
/* Where a thread goes that is to wait; and, unless it begins, one that ends with that status. */
uint64_t park_wait_at(uint64_t park);
uint64_t park_end_at(const struct remote *remote, uint64_t park, int status);

#endif
