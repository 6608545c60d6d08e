/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * breakpoint.h - arming and disarming; both empty the batch.
 */
#ifndef KP_CORE_BREAKPOINT_H
#define KP_CORE_BREAKPOINT_H

#include "batch.h"

int kp_breakpoints_arm(struct kp_batch *batch);
int kp_breakpoints_disarm(struct kp_batch *batch);
bool kp_breakpoint_in_vain(struct kp_site *site);	/* then it is IDLE */

#endif
