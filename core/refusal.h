/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refusal.h - why a probe was refused.
 */
#ifndef KP_CORE_REFUSAL_H
#define KP_CORE_REFUSAL_H

#include "site.h"

/* reason is constant text. */
void kp_refused(struct kprobe *p, const char *reason);

/* err, and the struct says why. */
static inline int kp_refuse(struct kprobe *p, int err, const char *reason)
{
	kp_refused(p, reason);
	return err;
}

#endif
