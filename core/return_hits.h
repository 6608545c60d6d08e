/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * return_hits.h - a call of a function with a return probe.
 */
#ifndef KP_CORE_RETURN_HITS_H
#define KP_CORE_RETURN_HITS_H

#include "instance.h"

/* The struct's handlers are ours from now on; or the user's to set again. */
void kp_return_claim(struct kprobe *kp, bool blind);
void kp_return_release(struct kprobe *kp);
/* What is called in place of its pre_handler: where a lean one is, where a trap calls
 * what is quiet; or NULL.
 */
kprobe_pre_handler_t kp_return_lean(const struct kprobe *kp);
kprobe_pre_handler_t kp_return_quiet(const struct kprobe *kp);
bool kp_return_calls(kprobe_pre_handler_t lean);
uintptr_t kp_return_real(uintptr_t ip);				/* any context */

#endif
