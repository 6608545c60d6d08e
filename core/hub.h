/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hub.h - what leads on where a call does not reach.
 */
#ifndef KP_CORE_HUB_H
#define KP_CORE_HUB_H

#include "site.h"

/* What code at near calls to get to `to`: that itself, or a hub; 0: neither. */
uintptr_t kp_hub(uintptr_t near, const char *to);
void kp_hub_stop(void);

/* What can be reached from there, at most. */
uintptr_t kp_hub_low(uintptr_t addr, uintptr_t len);
uintptr_t kp_hub_high(uintptr_t addr, uintptr_t len);

#endif
