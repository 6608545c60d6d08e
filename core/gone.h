/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gone.h - sites whose text is gone.
 */
#ifndef KP_CORE_GONE_H
#define KP_CORE_GONE_H

#include "site.h"

struct kp_site *kp_gone_first(void);
/* Out of the table; the text that it was made for is no more. */
void kp_gone_add(struct kp_site *site);
void kp_gone_prune(void);
void kp_gone_pin(void);
void kp_gone_stop(void);
void kp_site_free(struct kp_site *site);

#endif
