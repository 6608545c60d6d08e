/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wprobe.h - watch probes, for the files of the core that meet them.
 */
#ifndef KP_CORE_WPROBE_H
#define KP_CORE_WPROBE_H

#include "site.h"

/*
 * For the global switch.  For the end of the engine: children go to *dead;
 * kp_wprobe_bury, when nobody reads any more.  Memory at [start, start+len) has gone.
 */
int kp_wprobe_switch_all(bool on);
void kp_wprobe_detach_all(struct kp_child **dead);
void kp_wprobe_bury(void);
void kp_wprobe_memory_gone(uintptr_t start, size_t len);
void kp_wprobe_settle(void);		/* what the program has taken away, is gone */

/* The next site of watch probes; NULL starts and ends. */
struct kp_site *kp_wprobe_site(const struct kp_site *after);

/* Of a watch probe's site that is armed; registry lock. */
const char *kp_wprobe_means(const struct kp_site *site);

#endif
