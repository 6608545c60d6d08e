/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text.h - writing live text.
 *
 * Owns: the prototypes of text.c.
 */
#ifndef KP_USER_TEXT_H
#define KP_USER_TEXT_H

#include "env.h"

int kp_user_text_poke(uintptr_t addr, const void *src, size_t len);
int kp_user_text_fill(uintptr_t addr, const void *src, size_t len,
		      bool later);		/* ours */
void kp_user_text_forget(uintptr_t start, size_t len);	/* it is unmapped */
void kp_user_text_locked(void);		/* the registry lock was just taken */
void kp_user_text_fork(void);

#endif
