/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refusal.c - why a probe was refused.
 *
 * Owns: where the reason is stored: in the struct, and elsewhere for callers without one.
 */
#include "refusal.h"

/* Constant text; any context reads it. */
static const char *last_refusal;

void kp_refused(struct kprobe *p, const char *reason)
{
	p->reason = reason;
	kp_store_relaxed(&last_refusal, reason);
}

const char *kp_core_take_refusal(void)
{
	const char *reason = kp_load_relaxed(&last_refusal);

	kp_store_relaxed(&last_refusal, NULL);
	return reason;
}
