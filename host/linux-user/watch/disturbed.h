/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * disturbed.h - whether a protected page would disturb anything.
 *
 * Owns: the prototypes of disturbed.c.
 */
#ifndef KP_USER_DISTURBED_H
#define KP_USER_DISTURBED_H

#include "sys.h"

void kp_user_pages_know_thread(void);	/* the calling one */
bool kp_user_pages_arrived(const siginfo_t *info, const ucontext_t *uc);

/* Why no page can be protected, or not this one; or NULL. */
const char *kp_user_pages_disturb(void);
const char *kp_user_page_disturbs(uintptr_t addr);
/* Another memory is there now: who waits for a futex there waits for that one's. */
void kp_user_page_changed(uintptr_t addr);

#endif
