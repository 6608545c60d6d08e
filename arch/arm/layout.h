/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - what the assembly of arch/arm assumes of the core's structs.
 *
 * Owns: the assertions; frame_asm.h has the numbers.  core/layout.c includes it.
 */
#ifndef KP_ARM_LAYOUT_H
#define KP_ARM_LAYOUT_H

#include "frame_asm.h"

_Static_assert(offsetof(struct kp_site, addr) == 0, "detour_entry.S: SITE_ADDR");
_Static_assert(offsetof(struct kp_site, keep) == 4, "detour_entry.S: SITE_KEEP");
_Static_assert(offsetof(struct kp_node, frame) == NODE_FRAME, "return.S: the unwind entry");

#endif
