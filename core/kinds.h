/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kinds.h - kprobes as users register them, and the engine's own.
 */
#ifndef KP_CORE_KINDS_H
#define KP_CORE_KINDS_H

#include "children.h"

extern const struct kp_kind kp_kind_kprobe;
extern const struct kp_kind kp_kind_own;	/* in no list */
/* For a kind whose handlers are those of its struct kprobe, and not lean. */
void kp_kind_know(struct kp_child *child);

#endif
