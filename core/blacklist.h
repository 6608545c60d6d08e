/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blacklist.h - what must not be probed.
 */
#ifndef KP_CORE_BLACKLIST_H
#define KP_CORE_BLACKLIST_H

#include "site.h"

bool kp_blacklisted(uintptr_t addr);
void kp_blacklist_visit(void (*fn)(void *arg, uintptr_t start, uintptr_t end,
				   const char *name), void *arg);
void kp_blacklist_stop(void);

#endif
