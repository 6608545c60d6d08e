/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * copy.h - access to memory that may not be there.
 *
 * Owns: the prototypes of copy.c.
 */
#ifndef KP_USER_COPY_H
#define KP_USER_COPY_H

#include "env.h"

/* A copy that survives bad addresses. */
int kp_user_copy(void *dst, const void *src, size_t len);
bool kp_user_readable(uintptr_t addr);	/* any context, no signal */
bool kp_user_copy_fixup(uintptr_t *ip);
/* The engine's own look at code, for kp_arch_purity and the like. */
int kp_user_code_read(uint8_t *dst, uintptr_t addr, size_t len);

#endif
