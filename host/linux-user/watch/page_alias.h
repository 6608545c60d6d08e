/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_alias.h - a protected page is memory that is mapped twice.
 *
 * Owns: the prototypes of page_alias.c.
 */
#ifndef KP_USER_PAGE_ALIAS_H
#define KP_USER_PAGE_ALIAS_H

#include "env.h"

struct kp_page;

/*
 * By that lock, with the gate closed: the page is mapped twice, and holds what is
 * at from, which nobody writes to; 0, or -errno: it is as it was, but without the right to write.
 * It is nobody's watched page any more, as it is by then.
 */
long kp_user_page_join(struct kp_page *page, const void *from);
void kp_user_page_given(struct kp_page *page);
/*
 * By the lock: the program may write there, or no more; the page is the program's again, and
 * nobody's watched; around a fork, whose child has memory of its own.
 */
void kp_user_page_bare(struct kp_page *page, bool on);
void kp_user_page_give_back(struct kp_page *page);
/* The program changes the mapping there; moves: by mremap.  Takes the lock itself. */
void kp_user_pages_change(uintptr_t start, size_t len, bool moves);
int kp_user_pages_before_fork(void);
void kp_user_pages_after_fork(bool child);

#endif
