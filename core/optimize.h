/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optimize.h - from breakpoints to jumps and back.
 */
#ifndef KP_CORE_OPTIMIZE_H
#define KP_CORE_OPTIMIZE_H

#include "site.h"

void kp_optimize_kick(void);	/* at the end of whatever may have queued sites */
void kp_optimize_plan(void);	/* whatever is queued, so that it can be shown */
bool kp_optimize_shown(const struct kp_site *site);	/* [OPTIMIZED] */
void kp_optimize_stop(void);

#endif
