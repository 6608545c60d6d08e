/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines.h - watched ranges on a protected page, and reporting writes to them.
 *
 * Owns: the prototypes of lines.c.
 */
#ifndef KP_USER_LINES_H
#define KP_USER_LINES_H

#include "env.h"

struct kp_page;
struct kp_watch_range;
struct kp_watch_store;

/* Registry context: memory for a range's; those on the page, in or out. */
bool kp_user_lines_make(struct kp_watch_range *range);
void kp_user_page_lines(struct kp_page *page, const struct kp_watch_range *range,
			bool in);
/* Tell of what was written, to the page, and to the one beside it, or NULL. */
void kp_user_page_tell(struct kp_page *page, struct kp_page *beside,
		       struct pt_regs *regs, const struct kp_watch_store *store);
/* Somebody may have written there. */
void kp_user_page_unseen(struct kp_page *page);

#endif
