/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * head.h - what a jump lands on.
 */
#ifndef KP_CORE_HEAD_H
#define KP_CORE_HEAD_H

#include "site.h"

int kp_head_take(struct kp_site *site, struct kp_detour *detour,
		 unsigned int *tries, const char **reason);
struct kp_site *kp_head_site(uintptr_t ip);		/* any context */
const struct kp_detour *kp_head_detour(const struct kp_site *site,
				       uintptr_t head);		/* any context */
void kp_head_free(struct kp_site *site);
void kp_head_put(struct kp_site *site);			/* nobody will be there */
void kp_head_suit(struct kp_site *site);
bool kp_head_suits(const struct kp_site *site);		/* as far as can be */
void kp_head_stop(void);

#endif
