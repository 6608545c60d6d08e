/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * inherit.h - what a program that is executed gets of its predecessor.
 *
 * Owns: the prototypes of inherit.c.
 */
#ifndef KP_USER_INHERIT_H
#define KP_USER_INHERIT_H

#include "sys.h"

struct sys_sigaction;

/* execve, and what a child of vfork sets for one. */
long kp_user_exec(ucontext_t *uc);
void kp_user_child_action(int sig, const struct sys_sigaction *act);

#endif
