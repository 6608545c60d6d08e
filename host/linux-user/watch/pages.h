/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pages.h - watching memory by its pages' protection.
 *
 * Owns: the prototypes of pages.c.
 */
#ifndef KP_USER_PAGES_H
#define KP_USER_PAGES_H

#include "env.h"

void kp_user_pages_end(void);		/* masks are not watched any more */

#endif
