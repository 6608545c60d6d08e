/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * left.h - what a handler leaves behind that faulted, or that its context left.
 */
#ifndef KP_CORE_LEFT_H
#define KP_CORE_LEFT_H

#include "instance.h"

/* The context's handler: the instance that it had taken.  Any context. */
void kp_left_entry(struct kp_context *ctx);
/* For good: the instances of the call that returns, too.  Any context. */
void kp_left_for_good(struct kp_context *ctx);

#endif
