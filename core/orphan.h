/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * orphan.h - instances whose return probe was unregistered.
 */
#ifndef KP_CORE_ORPHAN_H
#define KP_CORE_ORPHAN_H

#include "instance.h"

extern unsigned int kp_orphan_round;				/* any */
void kp_orphan_visit(struct kp_context *ctx,
		     const struct kp_calling *by);		/* any */
struct kp_pool *kp_orphan_condemn(struct kp_pool *dead);
void kp_orphan_bury(struct kp_pool *idle);
void kp_orphan_pin(void);
bool kp_orphan_any(void);

#endif
