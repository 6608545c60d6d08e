/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * seccomp.h - seccomp filters that the program installs.
 *
 * Owns: the prototypes of seccomp.c.
 */
#ifndef KP_USER_SECCOMP_H
#define KP_USER_SECCOMP_H

#include "sys.h"

void kp_user_filter_note(const ucontext_t *uc);
bool kp_user_filter_harms_exit(void);

#endif
