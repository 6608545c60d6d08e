/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plan.h - the detour of a site.
 */
#ifndef KP_CORE_PLAN_H
#define KP_CORE_PLAN_H

#include "site.h"

/* A detour for the site, made once; false: why_not says why. */
bool kp_plan(struct kp_site *site);
void kp_plan_reset(void);

#endif
