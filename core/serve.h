/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * serve.h - how a site's hits are served without the core.
 */
#ifndef KP_CORE_SERVE_H
#define KP_CORE_SERVE_H

#include "site.h"

/* The site's enabled children have changed; the registry lock. */
void kp_serve_follow(struct kp_site *site);
void kp_serve_add(struct kp_child *child);
void kp_serve_removed(struct kp_site *site, const struct kp_child *gone);
/* One of them is enabled no more; any context. */
void kp_serve_disabled(struct kp_child *child);

#endif
