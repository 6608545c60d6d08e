/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * batch.h - sites whose text is to change together.
 */
#ifndef KP_CORE_BATCH_H
#define KP_CORE_BATCH_H

#include "site.h"

struct kp_batch {
	struct kp_site *first, *last;
};

void kp_batch_add(struct kp_batch *batch, struct kp_site *site);
struct kp_site *kp_batch_pop(struct kp_batch *batch);
void kp_batch_clear(struct kp_batch *batch);
void kp_batch_sort(struct kp_batch *batch);	/* by address */

#endif
