/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retired.h - instances whose return probe was unregistered.
 */
#ifndef KP_CORE_RETIRED_H
#define KP_CORE_RETIRED_H

#include "instance.h"

extern unsigned int kp_retired_round;				/* any */
void kp_retired_visit(struct kp_context *ctx,
		     const struct kp_calling *by);		/* any */
struct kp_pool *kp_retired_condemn(struct kp_pool *dead);
void kp_retired_bury(struct kp_pool *idle);
void kp_retired_pin(void);
bool kp_retired_any(void);
uint32_t kp_retired_lead_back(void);

#endif
