/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * environment.h - what the environment asks for.
 *
 * Owns: the prototypes of environment.c.
 */
#ifndef KP_USER_ENVIRONMENT_H
#define KP_USER_ENVIRONMENT_H

#include "env.h"

/* A variable's value; NULL: none, or not to be trusted. */
const char *kp_user_wish(const char *name);
void kp_user_wishes_end(void);		/* those for this program alone */

#endif
