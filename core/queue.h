/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * queue.h - sites whose text is to follow what their users want.
 */
#ifndef KP_CORE_QUEUE_H
#define KP_CORE_QUEUE_H

#include "batch.h"

/* The site's children or neighbours changed: it is queued for whatever is now right. */
void kp_queue_follow(struct kp_site *site);
/*
 * Before the batch's sites are armed, every other site's jump that spans a byte of one
 * goes, at once.
 */
int kp_queue_clear(struct kp_batch *batch);
/* The site is no longer armed. */
void kp_queue_settled(struct kp_site *site);
void kp_queue_stop(void);

/* For who works it off. */
extern struct kp_site *kp_queue;
void kp_queue_push(struct kp_site **list, struct kp_site *site);
struct kp_site *kp_queue_pop(struct kp_site **list);
bool kp_queue_wants_text(const struct kp_site *site);
bool kp_queue_wants_jump(const struct kp_site *site);
bool kp_queue_is_due(const struct kp_site *site);
bool kp_queue_is_blocked(const struct kp_site *site, unsigned int len);
void kp_queue_block(struct kp_site *site, bool on);

#endif
