/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - what the entries assume of the core's structs.
 *
 * Owns: the assertions; detour_entry.S and child_asm.h have the numbers.  core/layout.c
 * includes it.
 */
#ifndef KP_I386_LAYOUT_H
#define KP_I386_LAYOUT_H

#include "child_asm.h"

_Static_assert(offsetof(struct kp_site, addr) == 0, "detour_entry.S: SITE_ADDR");
_Static_assert(offsetof(struct kp_site, keep) == 4, "detour_entry.S: SITE_KEEP");
_Static_assert(offsetof(struct kp_site, jump) == 8, "detour_entry.S: SITE_JUMP");
_Static_assert(offsetof(struct kp_site, first) == 20, "detour_entry.S: SITE_FIRST");
_Static_assert(KP_JUMP_IN == 1, "detour_entry.S: JUMP_IN");
_Static_assert(offsetof(struct kp_child, kp) == CHILD_KP, "CHILD_KP");
_Static_assert(offsetof(struct kp_child, pre) == CHILD_PRE, "CHILD_PRE");
_Static_assert(offsetof(struct kp_child, run) == CHILD_RUN, "CHILD_RUN");
_Static_assert(offsetof(struct kp_child, quiet) == CHILD_QUIET, "CHILD_QUIET");
_Static_assert(KP_ARCH_SLOT_LEN == 128, "detour_entry.S: SLOT_LEN, SLOT_SITE");

#endif
