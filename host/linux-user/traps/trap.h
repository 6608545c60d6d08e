/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trap.h - from a signal to the core.
 *
 * Owns: the prototypes of trap.c.
 */
#ifndef KP_USER_TRAP_H
#define KP_USER_TRAP_H

#include "sys.h"

int kp_user_trap_start(void);
void kp_user_trap_renew(void);
void kp_user_trap_end(void);	/* no thread can be on its way to a handler */
/* As machine.h's KP_SIGNAL_ENTRY has the kernel call them; gather.c's, too. */
void kp_user_on_trap(int sig, siginfo_t *info, void *context);
void kp_user_on_fault(int sig, siginfo_t *info, void *context);

#endif
