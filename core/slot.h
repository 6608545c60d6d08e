/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slot.h - slots carved from executable memory.
 */
#ifndef KP_CORE_SLOT_H
#define KP_CORE_SLOT_H

#include "site.h"

int kp_slot_take(struct kp_site *site, bool fixup, const char **reason);
int kp_slot_take_chain(struct kp_site *site, struct kp_detour *detour,
		       const char **reason);
struct kp_site *kp_slot_site(uintptr_t ip);		/* any context */
bool kp_slot_empty(uintptr_t ip);
int kp_slot_wait(void);
void kp_slot_drop(void);			/* of sites that are not pinned */
void kp_slot_stop(void);

#endif
