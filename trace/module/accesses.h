/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * accesses.h - what is known of an access to watched memory.
 *
 * Owns: in which registers a program finds it: those of KT_WATCH_REGS.
 */
#ifndef KT_ACCESSES_H
#define KT_ACCESSES_H

#include <kprobes/watch.h>

/* regs: a copy. */
static inline void kt_note_access(struct pt_regs *regs,
				  const struct kp_access *access,
				  unsigned long object)
{
	regs->di = access->before;
	regs->si = access->after;
	regs->dx = access->addr;
	regs->cx = access->size;
	regs->r8 = access->written;
	regs->r9 = object;
}

#endif
