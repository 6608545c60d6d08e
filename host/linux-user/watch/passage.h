/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * passage.h - system calls that write to protected pages.
 *
 * Owns: the prototypes of passage.c.
 */
#ifndef KP_USER_PASSAGE_H
#define KP_USER_PASSAGE_H

#include "sys.h"

struct kp_intercept;
struct kp_page;

void kp_user_passage(const struct kp_intercept *intercept, ucontext_t *uc);
bool kp_user_passages_left(void);
bool kp_user_passed(ucontext_t *uc, struct pt_regs *regs);
bool kp_user_passage_ends(uintptr_t addr);	/* is a call back at that breakpoint? */

/* Does a system call still write to what it was?  By the lock. */
bool kp_user_passage_on(const struct kp_page *page);

#endif
