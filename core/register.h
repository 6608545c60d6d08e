/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * register.h - registration, for all types of probes.
 */
#ifndef KP_CORE_REGISTER_H
#define KP_CORE_REGISTER_H

#include "batch.h"
#include "children.h"

int kp_probe_register(kp_probe_ref *kps, int num, const struct kp_kind *kind);
/* True when readers that were there before have been waited for. */
bool kp_probe_unregister(kp_probe_ref *kps, int num);
/* With the registry lock held; the node is freed later. */
int kp_probe_register_locked(kp_probe_ref *kps, int num,
			     const struct kp_kind *kind);
void kp_probe_unregister_locked(kp_probe_ref *kps, int num);
/* Those, for who waits for readers before he frees them; registry lock. */
struct kp_child *kp_probe_take_lingering(void);
/* Those that were unlinked; no lock held.  True when readers were waited for. */
bool kp_probe_bury(struct kp_child *dead);
/* May the caller's array be read? */
bool kp_probe_array_ok(const void *array, int num);
/* The site's last child may have gone; registry lock. */
void kp_probe_release_text(struct kp_site *site, struct kp_batch *batch);
int kp_probe_switch(struct kp_child *child, bool on);	/* enable, disable */

#endif
