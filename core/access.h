/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * access.h - what happens when watched memory is accessed.
 */
#ifndef KP_CORE_ACCESS_H
#define KP_CORE_ACCESS_H

#include "watched.h"

/* What is watched, new ones in front; the registry lock to change. */
extern struct kp_watched *kp_watched_list;
unsigned long kp_watched_look(const struct kp_watched *watched,
			      unsigned int word);	/* any context */
/*
 * Its handlers are called, in a context that has a site; before: those ahead of the
 * access, where the store's after is as before.
 */
void kp_watched_tell(struct kp_context *ctx, struct kp_watched *watched,
		     const struct kp_watch_store *store,
		     struct pt_regs *regs, bool before);	/* any context */

#endif
