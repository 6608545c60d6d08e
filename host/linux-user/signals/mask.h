/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mask.h - SIGTRAP stays open, whatever the program does to its masks.
 *
 * Owns: the prototypes of mask.c.
 */
#ifndef KP_USER_MASK_H
#define KP_USER_MASK_H

#include "sys.h"

struct kp_intercept;

void kp_user_mask_trap(const struct kp_intercept *intercept, ucontext_t *uc);

void kp_user_mask_start(sys_sigset mask);	/* the calling thread's */
void kp_user_mask_end(void);

#endif
