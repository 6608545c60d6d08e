/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * accesses.h - what is known of an access to watched memory.
 *
 * Owns: in which registers a program finds it: those of KT_WATCH_REGS.
 */
#ifndef KT_ACCESSES_H
#define KT_ACCESSES_H

#include "kt_host.h"

#include <kprobes/watch.h>

/* regs: a copy. */
static inline void kt_note_access(struct pt_regs *regs,
				  const struct kp_access *access,
				  unsigned long object)
{
	const u64 words[6] = {
		access->before, access->after, access->addr, access->size,
		access->written, object,
	};

	kt_machine_note(regs, words);
}

#endif
