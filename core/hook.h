/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hook.h - sites from which the host calls us.
 */
#ifndef KP_CORE_HOOK_H
#define KP_CORE_HOOK_H

#include "batch.h"

int kp_hook_prepare(struct kp_site *site, const uint8_t *bytes, size_t avail,
		    const char **reason);
int kp_hook_arm(struct kp_batch *batch);
int kp_hook_disarm(struct kp_batch *batch);
void kp_hook_text_gone(uintptr_t start, size_t len);

#endif
