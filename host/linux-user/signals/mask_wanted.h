/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mask_wanted.h - what the program wants of its masks.
 *
 * Owns: the prototypes of mask_wanted.c.
 */
#ifndef KP_USER_MASK_WANTED_H
#define KP_USER_MASK_WANTED_H

#include "sys.h"

struct kp_user_context;

/* The program changes its mask, which uc returns to: 0 or -errno. */
long kp_user_mask_change(struct kp_user_context *ctx, ucontext_t *uc, long how,
			 sys_sigset set);
void kp_user_mask_returned(ucontext_t *uc);	/* from a handler of the program */
/* Pages are protected (pages.c), or were since the engine began: SIGSEGV stays open, too. */
extern bool kp_user_pages_on;

#endif
