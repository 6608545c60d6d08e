/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regs.h - the registers as the architecture code sees them.
 *
 * Owns: the assertions that every host's struct pt_regs has one layout, since
 * entry.S and emulation rely on it.
 */
#ifndef KP_X86_REGS_H
#define KP_X86_REGS_H

#include "env.h"

_Static_assert(offsetof(struct pt_regs, r15) == 0, "pt_regs: r15");
_Static_assert(offsetof(struct pt_regs, bx) == 40, "pt_regs: bx");
_Static_assert(offsetof(struct pt_regs, ax) == 80, "pt_regs: ax");
_Static_assert(offsetof(struct pt_regs, orig_ax) == 120, "pt_regs: orig_ax");
_Static_assert(offsetof(struct pt_regs, ip) == 128, "pt_regs: ip");
_Static_assert(offsetof(struct pt_regs, flags) == 144, "pt_regs: flags");
_Static_assert(offsetof(struct pt_regs, sp) == 152, "pt_regs: sp");
_Static_assert(sizeof(struct pt_regs) == 168, "pt_regs: size");

#endif
