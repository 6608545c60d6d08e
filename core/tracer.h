/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracer.h - sites from which the host calls us.
 */
#ifndef KP_CORE_TRACER_H
#define KP_CORE_TRACER_H

#include "batch.h"

int kp_tracer_prepare(struct kp_site *site, const uint8_t *bytes, size_t avail,
		    unsigned int text_flags, const char **reason);
int kp_tracer_arm(struct kp_batch *batch);
int kp_tracer_disarm(struct kp_batch *batch);
void kp_tracer_text_gone(uintptr_t start, size_t len);

#endif
