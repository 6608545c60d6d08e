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
_Static_assert(offsetof(struct kp_site, jump) == 8, "detour_entry.S: SITE_JUMP");
_Static_assert(offsetof(struct kp_site, first) == 20, "detour_entry.S: SITE_FIRST");
_Static_assert(KP_JUMP_IN == 1, "detour_entry.S: JUMP_IN");
_Static_assert(offsetof(struct kp_child, kp) == 0, "detour_entry.S: CHILD_KP");
_Static_assert(offsetof(struct kp_child, pre) == 12, "detour_entry.S: CHILD_PRE");
_Static_assert(offsetof(struct kp_child, run) == 20, "detour_entry.S: CHILD_RUN");
_Static_assert(offsetof(struct kp_child, quiet) == 40, "detour_entry.S: CHILD_QUIET");
_Static_assert(offsetof(struct kp_node, frame) == NODE_FRAME, "return.S: the unwind entry");

#endif
