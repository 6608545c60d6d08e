/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * release.h - memory that is no longer needed after a detach.
 *
 * Owns: the prototypes of release.c.
 */
#ifndef KP_USER_RELEASE_H
#define KP_USER_RELEASE_H

#include "env.h"

size_t kp_user_inside(char *text, size_t room);	/* 0: it is too little */
void kp_user_keep_none(void);
int kp_user_keep(const char *words);		/* where somebody is */
int kp_user_release(void);
void kp_user_memory_inert(void);	/* unlocked, and no more than is in use */

#endif
