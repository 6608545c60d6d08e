/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unprotect.h - writing text by making it writable for a moment.
 *
 * Owns: the prototypes of unprotect.c.
 */
#ifndef KP_USER_UNPROTECT_H
#define KP_USER_UNPROTECT_H

#include "env.h"

bool kp_user_unprotect_spares(long fd);	/* what is written through fd is executed */
int kp_user_unprotect_open(uintptr_t first, uintptr_t last);
int kp_user_unprotect_poke(uintptr_t addr, const void *src, size_t len);
void kp_user_unprotect_close(void);
void kp_user_unprotect_forget(void);

#endif
