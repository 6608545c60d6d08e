/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - what detour_entry.S assumes of the core's structs.
 *
 * Owns: the assertions; that file has the numbers.  core/layout.c includes it.
 */
#ifndef KP_RISCV64_LAYOUT_H
#define KP_RISCV64_LAYOUT_H

_Static_assert(offsetof(struct kp_site, addr) == 0, "detour_entry.S: SITE_ADDR");
_Static_assert(offsetof(struct kp_site, keep) == 8, "detour_entry.S: SITE_KEEP");
_Static_assert(offsetof(struct kp_site, step) == 40, "detour_entry.S: SITE_STEP");
_Static_assert(offsetof(struct kp_site, arch.len) == 137, "detour_entry.S: SITE_LEN");
_Static_assert(offsetof(struct kp_site, detour) == 48, "detour_entry.S: SITE_DETOUR");
_Static_assert(offsetof(struct kp_detour, next) == 88, "detour_entry.S: DETOUR_NEXT");
_Static_assert(KP_ARCH_SLOT_LEN == 128, "detour_entry.S: SLOT_LEN, SLOT_SITE");

#endif
