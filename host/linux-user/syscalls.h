/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscalls.h - the system calls in the program's text, and how handlers return.
 *
 * Owns: what the processor's syscalls.c and numbers.c, or shared ones, offer.
 */
#ifndef KP_USER_SYSCALLS_H
#define KP_USER_SYSCALLS_H

#include "sys.h"

struct kp_object;
struct sys_sigaction;

void kp_user_calls_scan(struct kp_object *object, uintptr_t start,
			size_t len);
void kp_user_calls_settle(void);	/* no lock held */
/* A handler that the program installs returns by way of us; and as it set that. */
void kp_user_lead_return(struct sys_sigaction *act);
void kp_user_hide_return(struct sys_sigaction *act);

#endif
