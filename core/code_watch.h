/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * code_watch.h - memory that is watched by probes on code.
 */
#ifndef KP_CORE_CODE_WATCH_H
#define KP_CORE_CODE_WATCH_H

#include "writes.h"

/*
 * kp_code_get: what wp names; refuses wp.  kp_code_put: true when that was
 * the last user; then it is freed when no handler runs any more.
 */
int kp_code_get(struct wprobe *wp, struct kp_code **out);
bool kp_code_put(struct kp_code *code);
void kp_code_free(struct kp_code *code);
int kp_code_arm(struct kp_code *code);
void kp_code_disarm(struct kp_code *code);

#endif
